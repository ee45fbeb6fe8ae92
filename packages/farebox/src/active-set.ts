/** Something active for a short time. It keeps its own index, so that it is removed without a search. */
export interface Placed {
  place: number
}

/**
 * What is active, added and removed thousands of times a second. An array, because the tables that a Set leaves behind
 * keep what was in them alive until a full collection: it cost a quarter of a paid job's time.
 */
export interface ActiveSet<T extends Placed> {
  /** To be called once for each. */
  add(item: T): void
  /** False where it is not there any more. */
  delete(item: T): boolean
  /** All of them, and none are there from then on. */
  takeAll(): readonly T[]
}

/** Makes an empty set. */
export function createActiveSet<T extends Placed>(): ActiveSet<T> {
  let items: T[] = []
  return {
    add(item) {
      item.place = items.length
      items.push(item)
    },
    delete(item) {
      if (items[item.place] !== item) return false
      const last = items.pop()
      if (last !== undefined && last !== item) {
        items[item.place] = last
        last.place = item.place
      }
      return true
    },
    takeAll() {
      const all = items
      items = []
      return all
    },
  }
}
