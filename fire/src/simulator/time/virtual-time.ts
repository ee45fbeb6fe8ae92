/** The time of a history: it moves from event to event, and between two of them all promises settle. */
export type VirtualTime = ReturnType<typeof createVirtualTime>

interface Event {
  readonly dueMs: number
  callback: (() => void) | undefined
}

/** A separate `setImmediate` turn costs more than its work: Node polls for I/O each time. */
const TURNS_AT_ONCE = 100

/**
 * Creates the time of one history.
 *
 * Nothing in a history waits for the machine: every wait is an event here. So between two callbacks of `setImmediate`,
 * in which all ready promises run, everything settles, and the order of all actions is that of the events.
 */
export function createVirtualTime(startMs: number) {
  const events: Event[] = []
  const takeTurns = createTurns()
  let nowMs = startMs
  let happened = 0

  /** Runs the next event that is due until then; false if there is none. */
  const happen = (untilMs: number): boolean => {
    for (let next = events.at(-1); next !== undefined && next.dueMs <= untilMs; next = events.at(-1)) {
      events.pop()
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
    /** Unix milliseconds of the true time, which no process's clock shows. */
    nowMs: (): number => nowMs,
    /** Calls back once, after this many milliseconds, unless the returned function is called before. */
    after(delayMs: number, callback: () => void): () => void {
      const event: Event = { dueMs: nowMs + Math.max(0, delayMs), callback }
      insert(events, event)
      return () => {
        event.callback = undefined
      }
    },
    /** Runs the events due until then, in order; resolves when all promises have settled. */
    runUntil: (untilMs: number): Promise<void> => takeTurns(() => happen(untilMs)),
    /** Like a suspended machine: the time jumps forward, and missed events happen now. */
    leapTo(atMs: number): void {
      nowMs = Math.max(nowMs, atMs)
    },
    /** Drops all scheduled events, so that no state of a history outlives it. */
    end(): void {
      events.length = 0
    },
    eventCount: (): number => happened,
  }
}

/** Creates a loop that calls a step once a turn, until it returns false; between two turns all ready promises run. */
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

/**
 * Inserts an event: the next one is the last of the list, and events of the same time run in the order they were
 * scheduled.
 */
function insert(events: Event[], event: Event): void {
  let [from, to] = [0, events.length]
  while (from < to) {
    const middle = (from + to) >> 1
    const isLater = (events[middle]?.dueMs ?? 0) > event.dueMs
    if (isLater) from = middle + 1
    else to = middle
  }
  events.splice(from, 0, event)
}
