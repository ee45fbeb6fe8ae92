/** Something that is under way for a short time; it keeps its own place, so that it is found again at once. */
export interface Placed {
  place: number
}

/**
 * What is under way, added and removed thousands of times a second. An array, because the tables that a Set leaves behind
 * keep what was in them alive until a full collection: it cost a quarter of a paid job's time.
 */
export interface UnderWay<T extends Placed> {
  /** To be called once for each. */
  add(item: T): void
  /** False where it is not there any more. */
  delete(item: T): boolean
  /** All of them, and none are there from then on. */
  takeAll(): readonly T[]
}

/** Nothing is under way at first. */
export function createUnderWay<T extends Placed>(): UnderWay<T> {
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
