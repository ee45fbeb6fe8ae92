import { formatDuration } from '../../format/duration.ts'

/** Median and 95th percentile of the jobs' durations, with a common unit if possible: `0.6 / 1.1 s`. */
export function formatHalfAndMost(half: number | null, most: number | null): string {
  if (half === null || most === null) return 'not known'
  const [one, other] = [formatDuration(half), formatDuration(most)]
  const unit = / (?:ms|s)$/.exec(one)?.[0]
  return unit !== undefined && other.endsWith(unit) && /^[\d.]+ \w+$/.test(other)
    ? `${one.slice(0, -unit.length)} / ${other}`
    : `${one} / ${other}`
}
