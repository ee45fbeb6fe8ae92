import { EnvironmentError, shown, type ReadVariable } from './environment.ts'

/** Whether a server is about to stop: it still takes requests, until balancers have noticed that `/ready` answers 503. */
export interface Drain {
  readonly isOn: () => boolean
  readonly begin: () => void
}

/** Makes a drain that has not begun. */
export function createDrain(): Drain {
  let isOn = false
  return {
    isOn: () => isOn,
    begin() {
      isOn = true
    },
  }
}

/** Leaves requests in flight at least ten of the 25 seconds that a stop may take. */
const MOST_DRAIN_SECONDS = 15

/** `DRAIN_SECONDS`: how long requests are still taken after SIGTERM; default 0. Throws an {@link EnvironmentError}. */
export function readDrainSeconds(read: ReadVariable): number {
  const value = read('DRAIN_SECONDS')
  if (value === undefined) return 0
  if (/^\d{1,2}$/.test(value) && Number(value) <= MOST_DRAIN_SECONDS) return Number(value)
  throw new EnvironmentError(
    `DRAIN_SECONDS must be a whole number of seconds, 0 to ${MOST_DRAIN_SECONDS}, got ${shown(value)}`,
  )
}

/** The help about `DRAIN_SECONDS`. */
export const DRAIN_HELP = {
  meaning: 'how long it takes requests after SIGTERM, until balancers have noticed that /ready answers 503',
  default: '0',
} as const
