/** A counter for each key. */
export interface Counts {
  /** Contains no key with a count of zero. */
  readonly all: ReadonlyMap<string, number>
  of(key: string): number
  add(key: string, change: 1 | -1): void
}

/** Creates counters that begin with the counts in `given`. */
export function createCounts(given: ReadonlyMap<string, number> = new Map()): Counts {
  const all = new Map(given)
  return {
    all,
    of: key => all.get(key) ?? 0,
    add(key, change) {
      const count = (all.get(key) ?? 0) + change
      if (count === 0) all.delete(key)
      else all.set(key, count)
    },
  }
}
