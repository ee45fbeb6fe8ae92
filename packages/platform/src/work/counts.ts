/** How many there are under each key. */
export interface Counts {
  /** Without keys that have none. */
  readonly all: ReadonlyMap<string, number>
  of(key: string): number
  add(key: string, change: 1 | -1): void
}

/** Begins with those of `given`. */
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
