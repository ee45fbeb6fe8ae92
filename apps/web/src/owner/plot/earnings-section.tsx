import type { ReactNode } from 'react'
import { fromAtomic, groupDigits, longestDecimals } from '../../format/amount.ts'
import { formatCount } from '../../format/share.ts'
import { formatDay } from '../../format/time.ts'
import { Amount } from '../../parts/amount.tsx'
import { Heading } from '../../parts/page/heading.tsx'
import { Table, type Column } from '../../parts/table.tsx'
import { EarningsPlot, PlotSwatch } from './earnings-plot.tsx'
import type { EarnedBy, Earnings } from './stack-earnings.ts'

/** The earnings of each day, as a plot, and as a table that can be opened. */
export function EarningsSection({ earnings }: { readonly earnings: Earnings }): ReactNode {
  const { days, parts } = earnings
  return (
    <section>
      <Heading
        end={parts.map((part, index) => (
          <span key={part.key} className="legend-part">
            <PlotSwatch index={index} />
            <PartName of={part} />
          </span>
        ))}
      >
        Earnings per day
      </Heading>
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

/** A day, with its index in the series. */
interface EarningsDay {
  /** Unix seconds. */
  readonly day: number
  readonly index: number
}

function EarningsTable({ earnings }: { readonly earnings: Earnings }): ReactNode {
  const { days, parts, totals, jobs } = earnings
  const all = totals.reduce((sum, total) => sum + total, 0n)
  const ofTotal = amountsByDay(totals)
  return (
    <Table
      scrollsAs="Earnings per day"
      rows={days.map((day, index): EarningsDay => ({ day, index })).toReversed()}
      keyOf={({ day }) => day}
      columns={[
        {
          head: 'Day (UTC)',
          look: 'title',
          cell: ({ day }) => formatDay(day, 'utc'),
          foot: `All ${days.length} days`,
        },
        {
          head: 'Jobs',
          look: 'num',
          cell: ({ index }) => formatCount(jobs[index] ?? 0),
          foot: formatCount(jobs.reduce((sum, count) => sum + count, 0)),
        },
        ...parts.map((part): Column<EarningsDay> => ({
          head: <PartName of={part} />,
          look: 'num',
          cell: amountsByDay(part.days),
          foot: groupDigits(fromAtomic(part.total)),
        })),
        {
          head: 'Total, USDC',
          look: 'num',
          cell: day => <b>{ofTotal(day)}</b>,
          foot: <b>{groupDigits(fromAtomic(all))}</b>,
        },
      ]}
    />
  )
}

/** Returns a function that formats the amount of a day, aligned at the decimal point; `none` for a day without earnings. */
function amountsByDay(atomic: readonly bigint[]): (day: EarningsDay) => ReactNode {
  const amounts = atomic.map(fromAtomic)
  const decimals = longestDecimals(amounts)
  return ({ index }) => {
    const amount = amounts[index] ?? '0'
    return amount === '0' ? <span className="faint">none</span> : <Amount of={amount} decimals={decimals} />
  }
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
