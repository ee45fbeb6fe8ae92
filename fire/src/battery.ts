import type { EvidenceRecord } from '../../scripts/evidence/record.mjs'

/**
 * How much of a battery runs: `small` takes seconds and runs in every test run; `full` produces the figures of the
 * docs.
 */
export type BatterySize = 'small' | 'full'

/** One run of a battery. */
export interface BatteryRun {
  readonly size: BatterySize
  /** The seed of random choices: the same seed makes the same choices. */
  readonly seed: number
  /** The battery's own flags that were given, by name; '' for one without a value. */
  readonly flags?: BatteryFlags
  /** Aborted to end the run early; everything started is ended before `run` settles. */
  readonly signal: AbortSignal
  /** Called with each report of progress; the last one is shown. */
  progress(progress: BatteryProgress): void
}

/** Values of flags by their names. */
export type BatteryFlags = { readonly [name: string]: string }

/** The progress of a battery. */
export interface BatteryProgress {
  /** The current activity: `kill storm, round 1`. */
  readonly doing: string
  readonly done: number
  readonly of: number
}

/** One line of the scorecard. */
export interface Score {
  /** The test, in a few words: `kill -9: 500 at random moments`. */
  readonly test: string
  /** The result: `9,120 jobs delivered, 9,120 payments moved; 0 wrong`. */
  readonly reached: string
  /** The target: `0 wrong: money moved = jobs delivered`. */
  readonly target: string
  readonly isMet: boolean
}

/** The result of a battery. */
export interface BatteryResult {
  readonly scores: readonly Score[]
  /** The violations, each with the seed or the command that replays it; empty if there are none. */
  readonly findings: readonly string[]
  /** The parts that this machine cannot run, each with the reason. */
  readonly skipped?: readonly string[]
  /** Further records of such a run, by name, from which pages of the docs are generated. */
  readonly tables?: { readonly [record: string]: Pick<EvidenceRecord, 'sections' | 'lines'> }
}

/** A flag of one battery, in addition to the common ones. */
export interface BatteryFlag {
  /** The flag's value in the help: `<n>`; undefined: it has no value. */
  readonly value?: string
  readonly help: string
}

/** A battery: it stresses the real code and judges the result. */
export interface Battery {
  /** The name on the command line: `npm run fire -- storms`. */
  readonly name: string
  /** A sentence for the scorecard. */
  readonly does: string
  /** Its own flags by name. If one is given, the output is shown, and the run is not recorded. */
  readonly flags?: { readonly [name: string]: BatteryFlag }
  /** Rejects only if the battery itself fails: its findings are in the result. */
  run(run: BatteryRun): Promise<BatteryResult>
}

/** The requested run is not possible; the message has the reason and is shown alone. */
export class RefusedOption extends TypeError {}
