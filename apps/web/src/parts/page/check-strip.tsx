import type { ReactNode } from 'react'
import { Table, type Column } from '../table.tsx'

/** The combined result of the checks of an hour or a day. */
export type PeriodResult = 'passed' | 'partly' | 'offline' | 'unknown'

/** Whether at least one check has failed. */
export function hasFailed(result: PeriodResult): boolean {
  return result === 'partly' || result === 'offline'
}

/** The legend below a strip of hours or days: the meaning of its marks, and its length. */
export function StripLegend(props: {
  readonly marks: readonly (readonly [mark: ReactNode, words: string])[]
  readonly end: string
}): ReactNode {
  const { marks, end } = props
  return (
    <p className="legend">
      {marks.map(([mark, words]) => (
        <span key={words}>
          {mark}
          {words}
        </span>
      ))}
      <span className="end">{end}</span>
    </p>
  )
}

/** The checks of an hour or a day. */
interface Checked {
  /** The start of the period, in Unix seconds. */
  readonly at: number
  readonly ok: number
  readonly failed: number
}

/** The hours or days of a strip with failed checks, as a table that can be opened; renders nothing if there are none. */
export function FailedChecks<Row extends Checked>(props: {
  readonly summary: string
  readonly rows: readonly Row[]
  /** The column that names the hour or the day. */
  readonly time: Column<Row>
  readonly more?: readonly Column<Row>[]
}): ReactNode {
  const { summary, rows, time, more = [] } = props
  if (rows.length === 0) return null
  return (
    <details className="small">
      <summary>{summary}</summary>
      <Table
        rows={rows}
        keyOf={({ at }) => at}
        columns={[
          time,
          { head: 'Checks passed', look: 'num', cell: ({ ok }) => ok },
          { head: 'Failed', look: 'num', cell: ({ failed }) => failed },
          ...more,
        ]}
      />
    </details>
  )
}
