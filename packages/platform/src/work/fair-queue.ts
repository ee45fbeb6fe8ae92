/** A queue of items grouped by key: keys take turns, and the items of a key keep their order of arrival. */
export interface FairQueue<Item> {
  readonly size: number
  /** The number of items waiting under a key. */
  count(key: string): number
  add(key: string, item: Item): void
  delete(key: string, item: Item): void
  /** Takes the first item of the next key in turn, among the keys for which `mayHave` returns true. */
  next(mayHave?: (key: string) => boolean): Item | undefined
}

/** Creates an empty queue. */
export function createFairQueue<Item>(): FairQueue<Item> {
  /** In the order of the keys' turns; no set is empty. */
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
        // Moves the key to the end, behind all others.
        queues.delete(key)
        queues.set(key, items)
        drop(key, items, item)
        return item
      }
      return undefined
    },
  }
}
