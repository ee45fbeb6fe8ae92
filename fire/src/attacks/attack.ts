import type { BatterySize, Score } from '../battery.ts'

/** One attack on a running part of Farebox, rebuilt as a program. */
export interface Attack {
  /** A few words, unique in the battery: `one-byte HTTP chunks at an agent`. */
  readonly name: string
  /** What this program saw before the fix, with figures: shows that it can succeed. */
  readonly before: string
  /** Runs it and measures; ends what it started before it settles. Rejects only where the program itself fails. */
  run(run: AttackRun): Promise<readonly Score[]>
}

/** How an attack is run. */
export interface AttackRun {
  /** `small` takes seconds and is part of `npm test -- fire`; `full` has the figures of the scorecard. */
  readonly size: BatterySize
  /** Where random choices begin. */
  readonly seed: number
  /** Aborted when the run is to end early. */
  readonly signal: AbortSignal
}
