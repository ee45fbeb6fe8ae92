import { createCounts } from './counts.ts'

/** How many rows may be leased now. */
export interface Room {
  readonly limit: number
  /** How many rows of one key may be in progress; by default not limited. */
  readonly perKey?: number
}

/** The same limits, with the number of rows in progress by key. */
export interface Taking extends Required<Room> {
  readonly underWay: ReadonlyMap<string, number>
}

/** The slots of a worker, each held by a row that is in progress or just being written. */
export interface Places {
  room(): Taking
  /** Whether few slots are free, so that it is better to wait for more. */
  readonly isScarce: boolean
  /** Holds a slot until the returned function is called, which calls `freed` when rows may be waiting for this slot. */
  hold(key: string, freed: () => void): () => void
  /**
   * Whether a new row of this key may have a slot at once, which is not the case when other rows may be waiting for
   * one.
   */
  mayHold(key: string): boolean
  /** Records the rows leased by a query for all due rows, by key. */
  note(taken: readonly string[], taking: Taking): void
}

const SCARCE_PART = 4

/** Creates slots, all of them free. */
export function createPlaces(
  size: number,
  findRoom: (free: number) => Room = free => ({ limit: free }),
): Places {
  const held = createCounts()
  let free = size
  /** Keys with rows that may be waiting; `isFull` stands for all keys. */
  let crowded = new Set<string>()
  let isFull = false
  let mayBeMore = false
  const room = (): Taking => ({
    perKey: Number.POSITIVE_INFINITY,
    ...findRoom(free),
    underWay: new Map(held.all),
  })
  return {
    room,
    get isScarce() {
      return free < size / SCARCE_PART
    },
    hold(key, freed) {
      let isHeld = true
      free -= 1
      held.add(key, 1)
      return () => {
        if (!isHeld) return
        isHeld = false
        free += 1
        held.add(key, -1)
        if (mayBeMore || crowded.has(key)) freed()
      }
    },
    mayHold(key) {
      const { limit, perKey } = room()
      const may = limit > 0 && held.of(key) < perKey && !isFull && !crowded.has(key)
      if (!may) crowded.add(key)
      return may
    },
    note(taken, { limit, perKey, underWay }) {
      const counts = createCounts(underWay)
      for (const key of taken) counts.add(key, 1)
      // When all free slots were used, more rows may be waiting.
      isFull = taken.length >= limit
      mayBeMore = taken.length >= Math.min(limit, perKey)
      crowded = new Set([...counts.all].filter(([, count]) => count >= perKey).map(([key]) => key))
    },
  }
}
