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
  /** Nothing more is to come: what was set is forgotten, so that nothing of a history outlives it. */
  end(): void
  /** How many events have happened. */
  eventCount(): number
}

interface Event {
  readonly dueMs: number
  /** Order of events that are due together: as they were set. */
  readonly order: number
  callback: (() => void) | undefined
}

/** A turn that is waited for alone costs more than what happens in it: the machine is asked for news each time. */
const TURNS_AT_ONCE = 100

/**
 * Makes the time of one history.
 *
 * Nothing in a history waits for the machine: every wait is an event here. So between two callbacks of
 * `setImmediate`, where all promises that are ready run, everything comes to rest, and the order of all things is
 * that of the events.
 */
export function createVirtualTime(startMs: number): VirtualTime {
  const heap: Event[] = []
  const takeTurns = createTurns()
  let nowMs = startMs
  let order = 0
  let happened = 0

  /** Lets the next event happen that is due until then; false where there is none. */
  const happen = (untilMs: number): boolean => {
    for (let next = heap[0]; next !== undefined && next.dueMs <= untilMs; next = heap[0]) {
      pop(heap)
      const { callback } = next
      if (callback === undefined) continue
      next.callback = undefined
      nowMs = Math.max(nowMs, next.dueMs)
      happened += 1
      callback()
      return true
    }
    nowMs = Math.max(nowMs, untilMs)
    return false
  }
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
    runUntil: untilMs => takeTurns(() => happen(untilMs)),
    leapTo(atMs) {
      nowMs = Math.max(nowMs, atMs)
    },
    end() {
      heap.length = 0
    },
    eventCount: () => happened,
  }
}

/** Makes what calls a step once a turn, until it returns false; between two turns all promises run that are ready. */
function createTurns(): (step: () => boolean) => Promise<void> {
  let takeOne: (() => void) | undefined
  let ahead = 0
  const turn = (): void => {
    ahead -= 1
    if (takeOne === undefined) return
    if (ahead === 0) lookAhead()
    takeOne()
  }
  const lookAhead = (): void => {
    for (; ahead < TURNS_AT_ONCE; ahead += 1) setImmediate(turn)
  }
  return step =>
    new Promise((resolve, reject) => {
      takeOne = () => {
        try {
          if (step()) return
          resolve()
        } catch (error) {
          reject(error)
        }
        takeOne = undefined
      }
      if (ahead === 0) lookAhead()
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
