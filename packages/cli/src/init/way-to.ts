import { relative, sep } from 'node:path'

/** A folder as it is typed from another one: relative where that is near, absolute where it would climb far. */
export function wayTo(from: string, to: string): string {
  const way = relative(from, to)
  return way.startsWith(`..${sep}..`) ? to : way
}
