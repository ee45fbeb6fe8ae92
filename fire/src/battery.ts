/** How much of a battery is run: `small` is seconds, for every test run; `full` is what the reliability page tells. */
export type BatterySize = 'small' | 'full'

/** One run of a battery. */
export interface BatteryRun {
  readonly size: BatterySize
  /** Where random choices begin: the same seed makes the same ones. */
  readonly seed: number
  /** Aborted when the run is to end early; what was started is ended before `run` settles. */
  readonly signal: AbortSignal
  /** Told as often as there is something to tell; drawn over the last one. */
  progress(progress: BatteryProgress): void
}

/** How far a battery has come. */
export interface BatteryProgress {
  /** What is going on: `duplicate storm`. */
  readonly doing: string
  readonly done: number
  readonly of: number
}

/** One line of the scorecard. */
export interface Score {
  /** What was tried, a few words: `10,000 requests for one job, 4 agents on Redis`. */
  readonly test: string
  /** What was seen: `handler ran once, 10,000 identical answers, 1 transfer`. */
  readonly reached: string
  /** What is asked: `once, identical, 1 transfer`. */
  readonly target: string
  readonly isMet: boolean
}

/** What came of a battery. */
export interface BatteryResult {
  readonly scores: readonly Score[]
  /** What broke, each with the seed or the words that replay it; none when all is well. */
  readonly findings: readonly string[]
}

/** Something that puts the real code under fire, and judges it. */
export interface Battery {
  /** As it is chosen by: `npm run fire -- --only storms`. */
  readonly name: string
  /** A sentence for the scorecard. */
  readonly does: string
  /** Rejects only where the battery itself fails: what it finds is in the result. */
  run(run: BatteryRun): Promise<BatteryResult>
}
