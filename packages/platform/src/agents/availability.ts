/** Consecutive failed checks at which an agent is warned of; its badge is shown one step lower from here on. */
const FAILURES_TO_WARN = 3

/** Consecutive failed checks at which an agent is offline, and hidden. */
export const FAILURES_TO_HIDE = 5

/** What a check changes for others: sent to the owner, seen in the search. */
export type AvailabilityTransition = 'warned' | 'offline' | 'back'

/** How an agent is seen. */
export interface Availability {
  /** Three failures or more: shown one badge lower until the next success. */
  readonly isWarned: boolean
  /** Five failures or more: hidden from the search. */
  readonly isOffline: boolean
}

/**
 * How an agent with so many consecutive failures is seen (the interface's table "Agent availability", D33): it follows
 * from the count alone, so that nothing is lost with a process.
 */
export function availabilityOf(failures: number): Availability {
  return { isWarned: failures >= FAILURES_TO_WARN, isOffline: failures >= FAILURES_TO_HIDE }
}

/**
 * The same in a word: `waiting` before the first check.
 *
 * @param watched undefined where it was never watched
 */
export function availabilityWord(
  watched: { readonly failures: number; readonly isChecked: boolean } | undefined,
): 'waiting' | 'online' | 'offline' {
  if (watched === undefined || !watched.isChecked) return 'waiting'
  return availabilityOf(watched.failures).isOffline ? 'offline' : 'online'
}

/**
 * Counts one check. One success takes the count to 0 and brings the agent back; the third failure warns once, the fourth
 * says nothing new, the fifth hides it.
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
