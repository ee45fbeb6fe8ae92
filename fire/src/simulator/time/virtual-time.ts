/** The time of a history: it moves from event to event, and between two of them everything comes to rest. */
export interface VirtualTime {
  /** Unix milliseconds, as nobody's clock shows them. */
  nowMs(): number
  /** Calls back once, so many milliseconds from now, unless the returned function is called before. */
  after(delayMs: number, callback: () => void): () => void
  /** Lets what is due until then happen, in order; resolves when all of it has come to rest. */
  runUntil(untilMs: number): Promise<void>
  /** As a machine that was suspended: the time is later at once, and what fell due meanwhile happens now. */
  leapTo(atMs: number): void
  /** How many events have happened. */
  eventCount(): number
}

interface Event {
  readonly dueMs: number
  /** Order of events that are due together: as they were set. */
  readonly order: number
  callback: (() => void) | undefined
}

/**
 * Makes the time of one history.
 *
 * Nothing in a history waits for the machine: every wait is an event here. So one turn of the event loop, which
 * runs all promises that are ready, brings everything to rest, and the order of all things is that of the events.
 */
export function createVirtualTime(startMs: number): VirtualTime {
  const heap: Event[] = []
  let nowMs = startMs
  let order = 0
  let happened = 0
  return {
    nowMs: () => nowMs,
    after(delayMs, callback) {
      order += 1
      const event: Event = { dueMs: nowMs + Math.max(0, delayMs), order, callback }
      push(heap, event)
      return () => {
        event.callback = undefined
      }
    },
    async runUntil(untilMs) {
      await rest()
      for (let next = heap[0]; next !== undefined && next.dueMs <= untilMs; next = heap[0]) {
        pop(heap)
        const { callback } = next
        if (callback === undefined) continue
        next.callback = undefined
        nowMs = Math.max(nowMs, next.dueMs)
        happened += 1
        callback()
        await rest()
      }
      nowMs = Math.max(nowMs, untilMs)
    },
    leapTo(atMs) {
      nowMs = Math.max(nowMs, atMs)
    },
    eventCount: () => happened,
  }
}

/** One turn of the event loop: promises first, then this. */
function rest(): Promise<void> {
  return new Promise(resolve => {
    setImmediate(resolve)
  })
}

function isBefore(one: Event, other: Event): boolean {
  return one.dueMs < other.dueMs || (one.dueMs === other.dueMs && one.order < other.order)
}

function push(heap: Event[], event: Event): void {
  let at = heap.length
  heap.push(event)
  while (at > 0) {
    const above = (at - 1) >> 1
    const parent = heap[above]
    if (parent === undefined || !isBefore(event, parent)) break
    heap[at] = parent
    at = above
  }
  heap[at] = event
}

function pop(heap: Event[]): void {
  const last = heap.pop()
  if (last === undefined || heap.length === 0) return
  let at = 0
  for (;;) {
    const left = 2 * at + 1
    const [one, other] = [heap[left], heap[left + 1]]
    if (one === undefined) break
    const below = other !== undefined && isBefore(other, one) ? left + 1 : left
    const child = heap[below]
    if (child === undefined || !isBefore(child, last)) break
    heap[at] = child
    at = below
  }
  heap[at] = last
}
