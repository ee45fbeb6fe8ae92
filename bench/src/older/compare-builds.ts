import type { Row } from '../report/bench.ts'
import { median, quantile } from '../rounds/statistics.ts'

/** The figures of both builds, round by round: the two figures at one index were measured at the same moment. */
export interface BuildRounds {
  readonly current: readonly number[]
  readonly older: readonly number[]
}

/**
 * The line that compares two builds: how many times as fast the current one is. It is the median over the ratios of the
 * rounds, with the range of the middle half of them.
 */
export function compareBuilds(
  { current, older }: BuildRounds,
  {
    what,
    better,
    olderName,
    format,
    notes = [],
  }: {
    readonly what: string
    /** `less` for times, `more` for rates. */
    readonly better: 'less' | 'more'
    readonly olderName: string
    readonly format: (figure: number) => string
    readonly notes?: readonly string[]
  },
): Row {
  const ratios = current.map((figure, round) => {
    const other = older[round] ?? Number.NaN
    return better === 'less' ? other / figure : figure / other
  })
  return {
    what: `${what}, now and at ${olderName}`,
    ours: format(median(current)),
    peer: { name: olderName, figure: format(median(older)) },
    ratio: median(ratios),
    spread: { low: quantile(ratios, 0.25), high: quantile(ratios, 0.75) },
    goal: undefined,
    notes,
  }
}
