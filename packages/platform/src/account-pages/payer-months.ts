import type { PayerJobs } from '@farebox/platform-api/me/payer-jobs'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import type { Database } from '@farebox/server/internal/postgres/connect'

const MONTHS = 12
/** The most jobs of one payer that are summed, so that no request is slow. */
const MOST_JOBS = 20_000

/**
 * What a payer ordered and paid in each of the last twelve months (UTC), the newest first. Months without jobs are left
 * out. For a payer with more than {@link MOST_JOBS} jobs, the oldest month is left out because it may be incomplete.
 */
export async function readPayerMonths(
  database: Database,
  payer: string,
  nowMs: number,
  mostJobs = MOST_JOBS,
): Promise<PayerJobs['months']> {
  const now = new Date(nowMs)
  const from = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - MONTHS + 1))
  const rows = await database.query<MonthRow>('payer-months', SUMS, [payer, from, mostJobs + 1])
  const all = rows.reduce((sum, { jobs }) => sum + Number(jobs), 0)
  const whole = all > mostJobs ? rows.slice(0, -1) : rows
  return whole.map(({ month, jobs, paid }) => ({ month, jobs: Number(jobs), paid: formatUsdc(BigInt(paid)) }))
}

interface MonthRow {
  readonly month: string
  readonly jobs: string
  /** In atomic units. */
  readonly paid: string
}

const SUMS = `
  select to_char(created_at at time zone 'UTC', 'YYYY-MM') as month, count(*) as jobs,
    coalesce(sum(amount_atomic) filter (where payment = 'paid'), 0) as paid
  from (
    select created_at, amount_atomic, payment from jobs where payer = $1 and created_at >= $2
    order by created_at desc limit $3) as newest
  group by 1 order by 1 desc`
