import type { HealthDays } from '@farebox/platform-api/monitor'
import type { ReactNode } from 'react'
import { formatSpan } from '../../format/duration.ts'
import { formatDay } from '../../format/time.ts'
import { TableHead } from '../../parts/table.tsx'

const DAY = 86_400
const WIDTH = 12
const HEIGHT = 34

type Kind = 'passed' | 'partly' | 'offline' | 'unknown'

/** Ninety days, each as its checks found it; the same as a table for whoever cannot see it. */
export function DayStrip({ days: { from, to, days } }: { readonly days: HealthDays }): ReactNode {
  const byDay = new Map(days.map(day => [day.at, day]))
  const count = Math.round((Math.floor(to / DAY) * DAY - from) / DAY) + 1
  const shown = Array.from({ length: count }, (_, index) => {
    const at = from + index * DAY
    return { at, day: byDay.get(at), kind: kindOf(byDay.get(at)) }
  })
  const bad = shown.filter(({ kind }) => kind === 'partly' || kind === 'offline')
  return (
    <>
      <svg
        className="strip"
        viewBox={`0 0 ${count * WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${count} days: ${shown.filter(({ kind }) => kind === 'passed').length} without a failed check, ${bad.length} with failures`}
      >
        <defs>
          <pattern id="off" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <rect className="hatch" width="3" height="5" />
          </pattern>
        </defs>
        {shown.map(({ at, kind }, index) => (
          <g key={at} transform={`translate(${index * WIDTH} 0)`}>
            <rect
              {...(kind === 'offline' ? { fill: 'url(#off)' } : { className: kind })}
              width={WIDTH - 2}
              height={HEIGHT}
            />
            {kind === 'partly' && (
              <rect className="failed" y={HEIGHT * 0.55} width={WIDTH - 2} height={HEIGHT * 0.45} />
            )}
          </g>
        ))}
      </svg>
      <p className="legend">
        <Swatch kind="passed">all checks passed</Swatch>
        <Swatch kind="partly">some failed</Swatch>
        <Swatch kind="offline">offline</Swatch>
        <Swatch kind="unknown">not checked yet</Swatch>
        <span className="end">last {count} days</span>
      </p>
      {bad.length > 0 && (
        <details className="small">
          <summary>Days with failures</summary>
          <table>
            <TableHead of={['Day (UTC)', ['Checks passed', 'num'], ['Failed', 'num'], ['Offline', 'num']]} />
            <tbody>
              {bad.map(({ at, day }) => (
                <tr key={at}>
                  <td>{formatDay(at, 'utc')}</td>
                  <td className="num">{day?.ok}</td>
                  <td className="num">{day?.failed}</td>
                  <td className="num">{day?.offline_seconds ? formatSpan(day.offline_seconds) : ''}</td>
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
  return (
    <span>
      <svg className="swatch strip" viewBox="0 0 10 10" aria-hidden="true">
        <rect
          {...(kind === 'offline' ? { fill: 'url(#off)' } : { className: kind })}
          width="10"
          height="10"
        />
        {kind === 'partly' && <rect className="failed" y="5" width="10" height="5" />}
      </svg>
      {children}
    </span>
  )
}

function kindOf(day: HealthDays['days'][number] | undefined): Kind {
  if (day === undefined) return 'unknown'
  if (day.failed === 0) return 'passed'
  return day.ok === 0 || (day.offline_seconds ?? 0) > 0 ? 'offline' : 'partly'
}
