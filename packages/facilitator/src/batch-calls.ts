import { sleep, type Clock } from '@farebox/protocol/time/clock'

/** The size and number of groups. */
export interface BatchLimits {
  /** The most entries of one group. */
  readonly atMost: number
  /** The most groups in progress at once. */
  readonly inFlight: number
}

/** A new group starts after this time even if the one in progress has not ended. */
const MAX_WAIT_MS = 5
/** Pause after a group of several, so that more entries gather: the callers of one group tend to return together. */
const PAUSE_MS = 2

/**
 * Collects entries while a group is in progress and runs them together in the next one. An entry runs at once when no group
 * is in progress, and none waits long: groups grow large only under load.
 *
 * @param run - never rejects
 * @returns adds entries that arrive at the same moment
 */
export function batchCalls<One>(
  clock: Clock,
  { atMost, inFlight }: BatchLimits,
  run: (group: readonly One[]) => Promise<void>,
): (ones: readonly One[]) => void {
  let queue: One[] = []
  let running = 0
  let isWaiting = false

  const start = (): void => {
    const group = queue.slice(0, atMost)
    queue = queue.slice(atMost)
    running += 1
    void run(group).then(async () => {
      if (group.length > 1) await sleep(clock, PAUSE_MS)
      running -= 1
      advance()
    })
  }
  const mayStart = (): boolean =>
    queue.length > 0 && (running === 0 || (queue.length >= atMost && running < inFlight))
  const advance = (): void => {
    while (mayStart()) start()
    if (queue.length === 0 || isWaiting || running >= inFlight) return
    isWaiting = true
    void sleep(clock, MAX_WAIT_MS).then(() => {
      isWaiting = false
      if (queue.length > 0 && running < inFlight) start()
      advance()
    })
  }
  return ones => {
    queue.push(...ones)
    advance()
  }
}
