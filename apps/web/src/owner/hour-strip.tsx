import type { ReactNode } from 'react'
import { formatClock, formatDay } from '../format/time.ts'
import { FailedChecks, hasFailed, StripLegend, type PeriodResult } from '../parts/page/check-strip.tsx'

/** The checks of an hour. */
export interface Hour {
  /** Unix seconds. */
  readonly at: number
  readonly ok: number
  readonly failed: number
}

const HOUR = 3_600
const HOURS = 168
const A_DAY = 24
/** The gap between two days, in widths of an hour. */
const GAP = 3
const GAP_LARGE = 0.5
const HEIGHT = 18

/** The height of an hour, so that failures are visible without colour. */
const HEIGHTS: { readonly [result in PeriodResult]: number } = {
  passed: 18,
  partly: 12,
  offline: 6,
  unknown: 2,
}

/**
 * The last seven days hour by hour, with a gap between days. `large` fills the line and adds a table of the failed hours.
 */
export function HourStrip(props: {
  readonly hours: readonly Hour[]
  readonly now: number
  readonly large?: boolean
}): ReactNode {
  const { hours, now, large = false } = props
  const shown = fillHours(hours, now)
  const bars = <HourBars hours={shown} large={large} />
  if (!large) return bars
  const failed = shown.filter(({ result }) => hasFailed(result)).toReversed()
  return (
    <>
      {bars}
      <StripLegend
        marks={[
          [<Swatch result="passed" />, 'all checks passed'],
          [<Swatch result="partly" />, 'some failed'],
          [<Swatch result="offline" />, 'all failed'],
          [<Swatch result="unknown" />, 'not checked'],
        ]}
        end="last 7 days, one bar per hour"
      />
      <FailedChecks
        summary={`Hours with failed checks (${failed.length})`}
        rows={failed}
        time={{ head: 'Hour (UTC)', cell: ({ at }) => formatSpanOfHour(at) }}
      />
    </>
  )
}

function HourBars(props: { readonly hours: readonly ShownHour[]; readonly large: boolean }): ReactNode {
  const { hours, large } = props
  const gap = large ? GAP_LARGE : GAP
  return (
    <svg
      className={large ? 'hours large' : 'hours'}
      viewBox={`0 0 ${HOURS + 6 * gap} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={describeHours(hours)}
    >
      {joinEqual(hours).map(({ from, count, result }) => (
        <rect
          key={from}
          className={result}
          x={from + Math.floor(from / A_DAY) * gap}
          y={HEIGHT - HEIGHTS[result]}
          width={count}
          height={HEIGHTS[result]}
        />
      ))}
    </svg>
  )
}

function describeHours(hours: readonly ShownHour[]): string {
  const checked = hours.filter(({ result }) => result !== 'unknown').length
  if (checked === 0) return 'Not checked in the last 7 days'
  const failed = hours.filter(({ result }) => hasFailed(result)).length
  return `7 days, hourly: ${checked} hours checked, ${failed === 0 ? 'none' : failed} with a failed check`
}

function Swatch({ result }: { readonly result: PeriodResult }): ReactNode {
  const height = (HEIGHTS[result] / HEIGHT) * 10
  return (
    <svg className="swatch hours" viewBox="0 0 10 10" aria-hidden="true">
      <rect className={result} y={10 - height} width="10" height={height} />
    </svg>
  )
}

interface ShownHour extends Hour {
  readonly result: PeriodResult
}

/** Every hour of the last seven days, the oldest first, including hours without a check. */
function fillHours(hours: readonly Hour[], now: number): readonly ShownHour[] {
  const last = Math.floor(now / HOUR)
  const byHour = new Map(hours.map(hour => [Math.floor(hour.at / HOUR), hour]))
  return Array.from({ length: HOURS }, (_, index) => {
    const number = last - HOURS + 1 + index
    const { ok = 0, failed = 0 } = byHour.get(number) ?? {}
    const result = ok + failed === 0 ? 'unknown' : failed === 0 ? 'passed' : ok === 0 ? 'offline' : 'partly'
    return { at: number * HOUR, ok, failed, result }
  })
}

/** Merges neighbouring hours of a day with equal results into one bar, because a page can have fifty strips. */
function joinEqual(
  hours: readonly ShownHour[],
): readonly { readonly from: number; readonly count: number; readonly result: PeriodResult }[] {
  const joined: { from: number; count: number; result: PeriodResult }[] = []
  for (const [index, { result }] of hours.entries()) {
    const before = joined.at(-1)
    if (before?.result === result && index % A_DAY !== 0) before.count += 1
    else joined.push({ from: index, count: 1, result })
  }
  return joined
}

/** The day, start and end of an hour in UTC, the zone in which the platform counts: `22 Nov, 14:00 to 15:00`. */
function formatSpanOfHour(at: number): string {
  return `${formatDay(at, 'utc')}, ${formatClock(at, 'utc', false)} to ${formatClock(at + HOUR, 'utc', false)}`
}
