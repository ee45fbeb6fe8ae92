import { relative } from 'node:path'

/**
 * Returns a path in the form that opens from the current working folder: relative if it is below that folder, else
 * absolute.
 */
export function shownPath(path: string): string {
  const near = relative(process.cwd(), path)
  return near.startsWith('..') ? path : near
}
