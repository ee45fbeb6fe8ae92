import { sleep, type Clock } from '@farebox/protocol/time/clock'

/** How much goes together. */
export interface BatchLimits {
  /** Of one group. */
  readonly atMost: number
  /** Groups under way at once. */
  readonly inFlight: number
}

/** If the group under way takes longer than this, the next does not wait for it. */
const MAX_WAIT_MS = 5
/** After a group of several the next lets so long pass, so that more come: their answers tend to come back together. */
const PAUSE_MS = 2

/**
 * Gathers what comes while a group is under way, to go together in the next. What finds nothing under way goes at once,
 * and nobody waits for long: so groups are large under load and over a short way only, where waiting costs nothing.
 *
 * @param run - never rejects
 * @returns takes those that come at the same moment
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
