import { createCounts } from './counts.ts'

/** How many rows may be taken now. */
export interface Room {
  readonly limit: number
  /** How many of one key may be under way; by default as many as there is room for. */
  readonly perKey?: number
}

/** The same, and what is under way already, by key. */
export interface Taking extends Required<Room> {
  readonly underWay: ReadonlyMap<string, number>
}

/** The places of a worker, each held by a row that is worked on or just being written down. */
export interface Places {
  room(): Taking
  /** Few are free, and more become so soon. */
  readonly isScarce: boolean
  /** Holds a place until the returned function is called, which then calls `freed` where rows may wait for this place. */
  hold(key: string, freed: () => void): () => void
  /** Whether a new row of this key may have one at once: not where others may wait for theirs. */
  mayHold(key: string): boolean
  /** What a look at all due rows took, by key. */
  note(taken: readonly string[], taking: Taking): void
}

const SCARCE_PART = 4

/** Makes places, all of them free. */
export function createPlaces(
  size: number,
  findRoom: (free: number) => Room = free => ({ limit: free }),
): Places {
  const held = createCounts()
  let free = size
  /** Keys of which rows may wait; `isFull`: of any key. */
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
      // Where all the room is used, more may wait.
      isFull = taken.length >= limit
      mayBeMore = taken.length >= Math.min(limit, perKey)
      crowded = new Set([...counts.all].filter(([, count]) => count >= perKey).map(([key]) => key))
    },
  }
}
