import { relative } from 'node:path'

/** A path as it can be opened from where the command was called: relative below there, else absolute. */
export function shownPath(path: string): string {
  const near = relative(process.cwd(), path)
  return near.startsWith('..') ? path : near
}
