import type { BatterySize } from '../battery.ts'
import type { ManagedKind } from './stage/managed-process.ts'

/** How much of each storm there is. */
export interface StormSize {
  readonly name: BatterySize
  /** Requests for one job. */
  readonly duplicates: number
  /** Jobs that one payment is sent for, and how often that is done. */
  readonly replays: number
  readonly replayRounds: number
  /** Processes killed; in waves of so many, each judged when it is over: responses are kept for ten minutes only. */
  readonly kills: number
  readonly killsPerWave: number
  /** Who is killed. */
  readonly victims: readonly ManagedKind[]
  /** How long the killed stay down, at most, beside the time they take to start: 0, they are started at once. */
  readonly downMs: number
  /** Between two kills, on average. */
  readonly killEveryMs: number
  /** Callers that keep the load up. */
  readonly callers: number
  /** A caller's rest between two orders, at most. */
  readonly pauseMs: number
  /** How long a wave may take to settle. */
  readonly settleMs: number
  /** Processes that stand still for seconds; a small storm has no time for it. */
  readonly freezes: number
  /** Agents asked to stop. */
  readonly shutdowns: number
}

const EVERYBODY: readonly ManagedKind[] = ['agent', 'facilitator', 'postgres', 'redis']

/** The sizes of the issue, and the one of the test. */
export const STORM_SIZES: { readonly [size in BatterySize]: StormSize } = {
  full: {
    name: 'full',
    duplicates: 10_000,
    replays: 1_000,
    replayRounds: 20,
    kills: 500,
    killsPerWave: 100,
    victims: EVERYBODY,
    downMs: 0,
    killEveryMs: 900,
    callers: 40,
    pauseMs: 2_000,
    settleMs: 240_000,
    freezes: 60,
    shutdowns: 100,
  },
  small: {
    name: 'small',
    duplicates: 600,
    replays: 100,
    replayRounds: 2,
    kills: 8,
    killsPerWave: 8,
    victims: EVERYBODY,
    downMs: 0,
    killEveryMs: 500,
    callers: 16,
    pauseMs: 500,
    settleMs: 45_000,
    freezes: 0,
    shutdowns: 3,
  },
}
