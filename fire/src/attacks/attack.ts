import type { BatterySize, Score } from '../battery.ts'

/** A row of the table: an attack on a running part of Farebox, and what must hold. */
export interface Attack {
  /** Short and unique: `N3`. */
  readonly id: string
  /** What Farebox promises, in a sentence. */
  readonly rule: string
  /** What the attacker does, in a few words. */
  readonly title: string
  /** Programs of the machine without which it cannot run. */
  readonly needs: readonly ExternalProgram[]
  /** Runs it and measures; ends what it started before it settles. Rejects only where the program itself fails. */
  run(run: AttackRun): Promise<readonly Score[]>
}

/** A program that is not installed with Farebox. */
export type ExternalProgram = 'pgbouncer' | 'redis-server'

/** How an attack is run. */
export interface AttackRun {
  /** `small` takes seconds and is part of `npm test`; `full` has the figures of the scorecard. */
  readonly size: BatterySize
  /** Where random choices begin. */
  readonly seed: number
  /** Aborted when the run is to end early. */
  readonly signal: AbortSignal
}
