import type { FaultRun } from './play-fault.ts'

/** What runs came to. */
export interface RunCounts {
  readonly runs: number
  readonly delivered: number
  readonly transfers: number
  /** Told so, and not charged. */
  readonly failed: number
  readonly paidTwice: number
  readonly paidAndLost: number
}

export function countRuns(runs: readonly FaultRun[]): RunCounts {
  const count = (is: (run: FaultRun) => boolean): number => runs.filter(is).length
  return {
    runs: runs.length,
    delivered: count(run => run.ended === 'delivered'),
    transfers: runs.reduce((sum, run) => sum + run.transfers, 0),
    failed: count(run => run.ended === 'failed' && run.transfers === 0),
    paidTwice: count(run => run.transfers > 1),
    paidAndLost: count(run => run.transfers > 0 && run.ended !== 'delivered'),
  }
}

/** What broke a promise, a line each. */
export function tellWrong(runs: readonly FaultRun[]): readonly string[] {
  return runs.flatMap(({ fault, wrong }) =>
    wrong === undefined ? [] : [`${fault.at}: ${fault.name}: ${wrong}`],
  )
}
