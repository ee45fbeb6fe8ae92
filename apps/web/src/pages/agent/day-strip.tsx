import type { HealthDays } from '@farebox/platform-api/monitor'
import type { ReactNode } from 'react'
import { formatSpan } from '../../format/duration.ts'
import { formatDay } from '../../format/time.ts'
import { FailedChecks, hasFailed, StripLegend, type PeriodResult } from '../../parts/page/check-strip.tsx'

const DAY = 86_400
const WIDTH = 12
const HEIGHT = 34

/** The last ninety days, each with the result of its checks. Days with failures are also listed in a table. */
export function DayStrip({ days: { from, to, days } }: { readonly days: HealthDays }): ReactNode {
  const byDay = new Map(days.map(day => [day.at, day]))
  const count = Math.round((Math.floor(to / DAY) * DAY - from) / DAY) + 1
  const shown = Array.from({ length: count }, (_, index) => byDay.get(from + index * DAY))
  const failed = shown.filter(day => day !== undefined).filter(day => hasFailed(resultOf(day)))
  return (
    <>
      <DayMarks results={shown.map(resultOf)} />
      <StripLegend
        marks={[
          [<Swatch result="passed" />, 'all checks passed'],
          [<Swatch result="partly" />, 'some failed'],
          [<Swatch result="offline" />, 'offline'],
          [<Swatch result="unknown" />, 'not checked yet'],
        ]}
        end={`last ${count} days`}
      />
      <FailedChecks
        summary="Days with failures"
        rows={failed}
        time={{ head: 'Day (UTC)', cell: ({ at }) => formatDay(at, 'utc') }}
        more={[
          {
            head: 'Offline',
            look: 'num',
            cell: ({ offline_seconds: seconds }) => (seconds ? formatSpan(seconds) : ''),
          },
        ]}
      />
    </>
  )
}

function DayMarks({ results }: { readonly results: readonly PeriodResult[] }): ReactNode {
  const passed = results.filter(result => result === 'passed').length
  const failed = results.filter(hasFailed).length
  return (
    <svg
      className="strip"
      viewBox={`0 0 ${results.length * WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${results.length} days: ${passed} without a failed check, ${failed} with failures`}
    >
      <defs>
        <pattern id="off" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect className="hatch" width="3" height="5" />
        </pattern>
      </defs>
      {results.map((result, index) => (
        // oxlint-disable-next-line react/no-array-index-key
        <g key={index} transform={`translate(${index * WIDTH} 0)`}>
          <Mark result={result} width={WIDTH - 2} height={HEIGHT} failedShare={0.45} />
        </g>
      ))}
    </svg>
  )
}

function Swatch({ result }: { readonly result: PeriodResult }): ReactNode {
  return (
    <svg className="swatch strip" viewBox="0 0 10 10" aria-hidden="true">
      <Mark result={result} width={10} height={10} failedShare={0.5} />
    </svg>
  )
}

/** The mark of one day. The lower part of the mark is highlighted if some checks failed. */
function Mark(props: {
  readonly result: PeriodResult
  readonly width: number
  readonly height: number
  readonly failedShare: number
}): ReactNode {
  const { result, width, height, failedShare } = props
  const failed = height * failedShare
  return (
    <>
      <rect
        {...(result === 'offline' ? { fill: 'url(#off)' } : { className: result })}
        width={width}
        height={height}
      />
      {result === 'partly' && <rect className="failed" y={height - failed} width={width} height={failed} />}
    </>
  )
}

function resultOf(day: HealthDays['days'][number] | undefined): PeriodResult {
  if (day === undefined) return 'unknown'
  if (day.failed === 0) return 'passed'
  return day.ok === 0 || (day.offline_seconds ?? 0) > 0 ? 'offline' : 'partly'
}
