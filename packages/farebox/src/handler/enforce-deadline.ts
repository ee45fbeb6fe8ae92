import { DeadlineError } from '@farebox/protocol/errors/service-errors'
import type { Clock } from '@farebox/protocol/time/clock'

/** The time after which a job is late, in Unix milliseconds. */
export interface Deadline {
  readonly atMs: number
}

/** Throws a `DeadlineError` when the deadline has passed. */
export function enforceDeadline(clock: Clock, deadline: Deadline): void {
  if (clock.nowMs() >= deadline.atMs) throw new DeadlineError('the deadline has passed')
}

/** Throws a `DeadlineError` when a new run would have less time than the agent requires (D17). */
export function enforceLeastTime(clock: Clock, { atMs }: Deadline, leastSeconds: number): void {
  if (leastSeconds === 0 || atMs - clock.nowMs() >= leastSeconds * 1_000) return
  throw new DeadlineError(
    `this agent takes no job with less than ${leastSeconds} s left: send a later deadline`,
  )
}

/**
 * Waits for work until the deadline, and checks the clock again afterwards: synchronous work that blocks past the
 * deadline resolves before the timer can fire (DDL-03). Resolves to the result if the work is on time; otherwise throws
 * a `DeadlineError` after aborting `aborter`, so that the work can stop.
 */
export async function withinDeadline<T>(
  clock: Clock,
  deadline: Deadline,
  aborter: AbortController,
  work: () => T | Promise<T>,
): Promise<T> {
  enforceDeadline(clock, deadline)
  let cancel: () => void = () => undefined
  const tooLate = new Promise<never>((_, reject) => {
    cancel = clock.after(deadline.atMs - clock.nowMs(), () => {
      const late = new DeadlineError('the handler did not return before the deadline')
      aborter.abort(late)
      reject(late)
    })
  })
  try {
    const result = await Promise.race([work(), tooLate])
    if (clock.nowMs() < deadline.atMs) return result
  } finally {
    cancel()
  }
  const late = new DeadlineError('the handler returned after the deadline')
  aborter.abort(late)
  throw late
}
