import type { ReactNode } from 'react'
import { fromAtomic, groupDigits, longestDecimals } from '../../format/amount.ts'
import { formatCount } from '../../format/share.ts'
import { formatDay } from '../../format/time.ts'
import { Amount } from '../../parts/amount.tsx'
import { EarningsPlot, PlotSwatch } from './earnings-plot.tsx'
import type { EarnedBy, Earnings } from './stack-earnings.ts'

/** What was earned each day: as a plot, and as a table behind it. */
export function EarningsSection({ earnings }: { readonly earnings: Earnings }): ReactNode {
  const { days, parts } = earnings
  return (
    <section>
      <div className="heading">
        <h2>Earnings per day</h2>
        <span className="end">
          {parts.map((part, index) => (
            <span key={part.key} className="legend-part">
              <PlotSwatch index={index} />
              <PartName of={part} />
            </span>
          ))}
        </span>
      </div>
      {parts.length === 0 ? (
        <div className="void low">
          <b>No earnings in the last {days.length} days</b>
          {describeJobs(earnings.jobs)}
        </div>
      ) : (
        <>
          <EarningsPlot earnings={earnings} />
          <details className="small">
            <summary>View as a table</summary>
            <EarningsTable earnings={earnings} />
          </details>
        </>
      )}
    </section>
  )
}

function EarningsTable({ earnings }: { readonly earnings: Earnings }): ReactNode {
  const { days, parts, totals, jobs } = earnings
  const amounts = parts.map(part => part.days.map(fromAtomic))
  const sums = totals.map(fromAtomic)
  const sumDecimals = longestDecimals(sums)
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label="Earnings per day">
      <table>
        <thead>
          <tr>
            <th scope="col">Day (UTC)</th>
            <th scope="col" className="num">
              Jobs
            </th>
            {parts.map(part => (
              <th key={part.key} scope="col" className="num">
                <PartName of={part} />
              </th>
            ))}
            <th scope="col" className="num">
              Total, USDC
            </th>
          </tr>
        </thead>
        <tbody>
          {days
            .map((day, index) => (
              <tr key={day}>
                <th scope="row">{formatDay(day, 'utc')}</th>
                <td className="num">{formatCount(jobs[index] ?? 0)}</td>
                {amounts.map((column, number) => (
                  <td key={parts[number]?.key} className="num">
                    <Cell amount={column[index] ?? '0'} decimals={longestDecimals(column)} />
                  </td>
                ))}
                <td className="num">
                  <b>
                    <Cell amount={sums[index] ?? '0'} decimals={sumDecimals} />
                  </b>
                </td>
              </tr>
            ))
            .toReversed()}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">All {days.length} days</th>
            <td className="num">{formatCount(jobs.reduce((sum, count) => sum + count, 0))}</td>
            {parts.map(part => (
              <td key={part.key} className="num">
                {groupDigits(fromAtomic(part.total))}
              </td>
            ))}
            <td className="num">
              <b>{groupDigits(fromAtomic(totals.reduce((sum, total) => sum + total, 0n)))}</b>
            </td>
          </tr>
        </tfoot>
      </table>
    </div>
  )
}

function Cell({ amount, decimals }: { readonly amount: string; readonly decimals: number }): ReactNode {
  return amount === '0' ? <span className="faint">none</span> : <Amount of={amount} decimals={decimals} />
}

function PartName({ of: { name, agent } }: { readonly of: EarnedBy }): ReactNode {
  return (
    <>
      <bdi>{name}</bdi>
      {agent !== undefined && (
        <span className="faint">
          {' '}
          from <bdi>{agent}</bdi>
        </span>
      )}
    </>
  )
}

function describeJobs(jobs: readonly number[]): string {
  const all = jobs.reduce((sum, count) => sum + count, 0)
  if (all === 0) return 'No jobs were ordered.'
  return `${formatCount(all)} ${all === 1 ? 'job was' : 'jobs were'} ordered, but no transfer is confirmed.`
}
