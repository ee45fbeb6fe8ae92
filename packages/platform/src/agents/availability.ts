/** Consecutive failed checks after which the agent has a warning; from then on its badge is shown one step lower. */
const FAILURES_TO_WARN = 3

/** Consecutive failed checks after which the agent is offline and hidden. */
export const FAILURES_TO_HIDE = 5

/** The visible effect of a check: sent to the owner and applied to the search. */
export type AvailabilityTransition = 'warned' | 'offline' | 'back'

/** An agent's availability as others see it. */
export interface Availability {
  /** Three failures or more: the badge is shown one step lower until the next success. */
  readonly isWarned: boolean
  /** Five failures or more: hidden from the search. */
  readonly isOffline: boolean
}

/**
 * The availability after this many consecutive failures (the interface's table "Agent availability", D33). It depends only
 * on the count, so a process that ends loses nothing.
 */
export function availabilityOf(failures: number): Availability {
  return { isWarned: failures >= FAILURES_TO_WARN, isOffline: failures >= FAILURES_TO_HIDE }
}

/**
 * The availability as one word: `waiting` before the first check.
 *
 * @param watched `undefined` when the agent was never checked
 */
export function availabilityWord(
  watched: { readonly failures: number; readonly isChecked: boolean } | undefined,
): 'waiting' | 'online' | 'offline' {
  if (watched === undefined || !watched.isChecked) return 'waiting'
  return availabilityOf(watched.failures).isOffline ? 'offline' : 'online'
}

/**
 * Counts one check. A success resets the count to 0 and brings the agent back. The third failure in a row sends the
 * warning, the fourth changes nothing, the fifth hides the agent.
 */
export function countCheck(
  failures: number,
  passed: boolean,
): { readonly failures: number; readonly transition: AvailabilityTransition | undefined } {
  if (passed) return { failures: 0, transition: availabilityOf(failures).isWarned ? 'back' : undefined }
  const counted = failures + 1
  if (counted === FAILURES_TO_WARN) return { failures: counted, transition: 'warned' }
  return { failures: counted, transition: counted === FAILURES_TO_HIDE ? 'offline' : undefined }
}
