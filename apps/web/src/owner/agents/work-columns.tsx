import { longestDecimals } from '../../format/amount.ts'
import { formatCount, formatShare } from '../../format/share.ts'
import { Amount } from '../../parts/amount.tsx'
import type { Column } from '../../parts/table.tsx'
import { formatHalfAndMost } from './format-half-and-most.ts'

/** Figures about the jobs of an agent or of one of its capabilities. */
interface Work {
  readonly jobs: { readonly completed: number }
  readonly success: number | null
  readonly p50_ms: number | null
  readonly p95_ms: number | null
  /** Decimal USDC. */
  readonly earned: string
}

/** The columns shared by all tables of figures: paid jobs, the share delivered, response times, earnings. */
export function workColumns<Row extends Work>(
  rows: readonly Row[],
): { readonly [column in 'jobs' | 'delivered' | 'duration' | 'earned']: Column<Row> } {
  const decimals = longestDecimals(rows.map(({ earned }) => earned))
  return {
    jobs: { head: 'Jobs', look: 'num', cell: ({ jobs }) => formatCount(jobs.completed) },
    delivered: {
      head: 'Delivered',
      look: 'num',
      cell: ({ success }) =>
        success === null ? <span className="faint">none yet</span> : formatShare(success, 1),
    },
    duration: {
      head: 'p50 / p95',
      look: 'num',
      cell: ({ p50_ms: half, p95_ms: most }) => formatHalfAndMost(half, most),
    },
    earned: {
      head: 'Earned, USDC',
      look: 'num',
      cell: ({ earned }) => (
        <b>
          <Amount of={earned} decimals={decimals} />
        </b>
      ),
    },
  }
}
