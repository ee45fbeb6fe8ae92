import type { ReactNode } from 'react'
import { formatClock, formatDay } from '../format/time.ts'
import { TableHead } from '../parts/table.tsx'

/** What the checks of an hour found. */
export interface Hour {
  /** Unix seconds. */
  readonly at: number
  readonly ok: number
  readonly failed: number
}

const HOUR = 3_600
const HOURS = 168
const A_DAY = 24
/** Between two days, in hours' widths. */
const GAP = 3
const GAP_LARGE = 0.5
const HEIGHT = 18

type Kind = 'passed' | 'partly' | 'offline' | 'unknown'

/** How high an hour stands: what went wrong shows without its colour. */
const HEIGHTS: { readonly [kind in Kind]: number } = { passed: 18, partly: 12, offline: 6, unknown: 2 }

/** Seven days hour by hour, with a gap between days; `large` fills its line and has the failed hours as a table. */
export function HourStrip(props: {
  readonly hours: readonly Hour[]
  readonly now: number
  readonly large?: boolean
}): ReactNode {
  const { hours, now, large = false } = props
  const shown = fillHours(hours, now)
  const failed = shown.filter(({ kind }) => kind === 'partly' || kind === 'offline')
  const unknown = shown.filter(({ kind }) => kind === 'unknown').length
  const watched = HOURS - unknown
  const gap = large ? GAP_LARGE : GAP
  const label =
    watched === 0
      ? 'Not checked in the last 7 days'
      : `7 days, hourly: ${watched} hours checked, ${failed.length === 0 ? 'none' : failed.length} with a failed check`
  return (
    <>
      <svg
        className={large ? 'hours large' : 'hours'}
        viewBox={`0 0 ${HOURS + 6 * gap} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
      >
        {joinEqual(shown).map(({ from, count, kind }) => (
          <rect
            key={from}
            className={kind}
            x={from + Math.floor(from / A_DAY) * gap}
            y={HEIGHT - HEIGHTS[kind]}
            width={count}
            height={HEIGHTS[kind]}
          />
        ))}
      </svg>
      {large && (
        <p className="legend">
          <Swatch kind="passed">all checks passed</Swatch>
          <Swatch kind="partly">some failed</Swatch>
          <Swatch kind="offline">all failed</Swatch>
          <Swatch kind="unknown">not checked</Swatch>
          <span className="end">last 7 days, one bar per hour</span>
        </p>
      )}
      {large && failed.length > 0 && (
        <details className="small">
          <summary>Hours with failed checks ({failed.length})</summary>
          <table>
            <TableHead of={['Hour (UTC)', ['Checks passed', 'num'], ['Failed', 'num']]} />
            <tbody>
              {failed.toReversed().map(({ at, ok, failed: lost }) => (
                <tr key={at}>
                  <td>{formatSpanOfHour(at)}</td>
                  <td className="num">{ok}</td>
                  <td className="num">{lost}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      )}
    </>
  )
}

function Swatch({ kind, children }: { readonly kind: Kind; readonly children: ReactNode }): ReactNode {
  const height = (HEIGHTS[kind] / HEIGHT) * 10
  return (
    <span>
      <svg className="swatch hours" viewBox="0 0 10 10" aria-hidden="true">
        <rect className={kind} y={10 - height} width="10" height={height} />
      </svg>
      {children}
    </span>
  )
}

interface ShownHour extends Hour {
  readonly kind: Kind
}

/** Every hour of seven days to now, the oldest first; those without a check as well. */
function fillHours(hours: readonly Hour[], now: number): readonly ShownHour[] {
  const last = Math.floor(now / HOUR)
  const byHour = new Map(hours.map(hour => [Math.floor(hour.at / HOUR), hour]))
  return Array.from({ length: HOURS }, (_, index) => {
    const number = last - HOURS + 1 + index
    const { ok = 0, failed = 0 } = byHour.get(number) ?? {}
    const kind = ok + failed === 0 ? 'unknown' : failed === 0 ? 'passed' : ok === 0 ? 'offline' : 'partly'
    return { at: number * HOUR, ok, failed, kind }
  })
}

/** Neighbours of one kind as one, within a day: a page has fifty strips. */
function joinEqual(
  hours: readonly ShownHour[],
): readonly { readonly from: number; readonly count: number; readonly kind: Kind }[] {
  const joined: { from: number; count: number; kind: Kind }[] = []
  for (const [index, { kind }] of hours.entries()) {
    const before = joined.at(-1)
    if (before?.kind === kind && index % A_DAY !== 0) before.count += 1
    else joined.push({ from: index, count: 1, kind })
  }
  return joined
}

/** An hour by its day and its ends, in UTC as the platform counts them: `22 Nov, 14:00 to 15:00`. */
function formatSpanOfHour(at: number): string {
  return `${formatDay(at, 'utc')}, ${formatClock(at, 'utc', false)} to ${formatClock(at + HOUR, 'utc', false)}`
}
