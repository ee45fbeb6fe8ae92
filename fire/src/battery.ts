import type { EvidenceRecord } from '../../scripts/evidence/record.mjs'

/** How much of a battery is run: `small` is seconds, for every test run; `full` is what the docs show. */
export type BatterySize = 'small' | 'full'

/** One run of a battery. */
export interface BatteryRun {
  readonly size: BatterySize
  /** Where random choices begin: the same seed makes the same ones. */
  readonly seed: number
  /** Those of the battery's own flags that were given, by name; '' for one without a value. */
  readonly flags?: BatteryFlags
  /** Aborted when the run is to end early; what was started is ended before `run` settles. */
  readonly signal: AbortSignal
  /** Told as often as there is something to tell; the last is shown. */
  progress(progress: BatteryProgress): void
}

/** Values of flags by their names. */
export type BatteryFlags = { readonly [name: string]: string }

/** How far a battery has come. */
export interface BatteryProgress {
  /** What is going on: `kill storm, round 1`. */
  readonly doing: string
  readonly done: number
  readonly of: number
}

/** One line of the scorecard. */
export interface Score {
  /** What was tried, a few words: `kill -9: 500 at random moments`. */
  readonly test: string
  /** What was seen: `9,120 jobs delivered, 9,120 payments moved; 0 wrong`. */
  readonly reached: string
  /** What is asked: `0 wrong: money moved = jobs delivered`. */
  readonly target: string
  readonly isMet: boolean
}

/** What came of a battery. */
export interface BatteryResult {
  readonly scores: readonly Score[]
  /** What broke, each with the seed or the words that replay it; none when all is well. */
  readonly findings: readonly string[]
  /** What this machine cannot run, each with the reason. */
  readonly skipped?: readonly string[]
  /** Further records of such a run, by their names: what pages of the docs are drawn from. */
  readonly tables?: { readonly [record: string]: Pick<EvidenceRecord, 'sections' | 'lines'> }
}

/** A flag that one battery takes, beside those of all. */
export interface BatteryFlag {
  /** What follows it, for the help: `<n>`; undefined: nothing does. */
  readonly value?: string
  readonly help: string
}

/** Something that puts the real code under fire, and judges it. */
export interface Battery {
  /** As it is chosen by: `npm run fire -- storms`. */
  readonly name: string
  /** A sentence for the scorecard. */
  readonly does: string
  /** Its own flags by their names. What it prints is shown when one is given, and such a run is not recorded. */
  readonly flags?: { readonly [name: string]: BatteryFlag }
  /** Rejects only where the battery itself fails: what it finds is in the result. */
  run(run: BatteryRun): Promise<BatteryResult>
}

/** What was asked for cannot be run; the message says why, and is all that is shown. */
export class RefusedOption extends TypeError {}
