/** Things that wait under keys: keys take turns, and those of one key are in the order in which they came. */
export interface FairQueue<Item> {
  readonly size: number
  /** How many wait under a key. */
  count(key: string): number
  add(key: string, item: Item): void
  delete(key: string, item: Item): void
  /** Takes the first of the key whose turn it is, of those keys that may have one. */
  next(mayHave?: (key: string) => boolean): Item | undefined
}

/** Makes an empty queue. */
export function createFairQueue<Item>(): FairQueue<Item> {
  /** In the order of their turns; none is empty. */
  const queues = new Map<string, Set<Item>>()
  let size = 0
  const drop = (key: string, items: Set<Item> | undefined, item: Item): void => {
    if (items?.delete(item) !== true) return
    size -= 1
    if (items.size === 0) queues.delete(key)
  }
  return {
    get size() {
      return size
    },
    count: key => queues.get(key)?.size ?? 0,
    add(key, item) {
      const items = queues.get(key) ?? new Set()
      if (!items.has(item)) size += 1
      queues.set(key, items.add(item))
    },
    delete: (key, item) => drop(key, queues.get(key), item),
    next(mayHave = () => true) {
      for (const [key, items] of queues) {
        if (!mayHave(key)) continue
        const [item] = items
        if (item === undefined) continue
        // The next turn of this key comes after those of all others.
        queues.delete(key)
        queues.set(key, items)
        drop(key, items, item)
        return item
      }
      return undefined
    },
  }
}
