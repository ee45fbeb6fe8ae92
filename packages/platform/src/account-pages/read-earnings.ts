import type { OwnerDashboard } from '@farebox/platform-api/me/owner-dashboard'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import type { Database } from '@farebox/server/internal/postgres/connect'

/** Thirty days of fifty agents with six capabilities; of more, the oldest days are left out. */
const MAX_ROWS = 10_000

/**
 * What some agents earned from callers since `fromMs`, by the UTC day on which the jobs were ordered and by capability;
 * the oldest first.
 */
export async function readEarnings(
  database: Database,
  agentIds: readonly number[],
  fromMs: number,
): Promise<OwnerDashboard['series']> {
  const rows = await database.query<EarningsRow>('overview-earnings', EARNINGS, [
    agentIds,
    new Date(fromMs),
    MAX_ROWS,
  ])
  return rows.toReversed().map(row => ({
    day: Number(row.day),
    agent_id: Number(row.agent_id),
    capability: row.capability,
    earned: formatUsdc(BigInt(row.earned_atomic)),
    earned_atomic: row.earned_atomic,
    jobs: Number(row.jobs),
  }))
}

interface EarningsRow {
  /** Unix seconds. */
  readonly day: string
  readonly agent_id: string
  readonly capability: string
  readonly jobs: string
  readonly earned_atomic: string
}

const EARNINGS = `
  select extract(epoch from date_trunc('day', created_at, 'UTC'))::bigint as day, agent_id, capability,
    count(*) as jobs, coalesce(sum(amount_atomic) filter (where transaction is not null), 0) as earned_atomic
  from jobs where agent_id = any($1) and created_at >= $2 and kind = 'caller'
  group by 1, 2, 3 order by 1 desc, 2 desc, 3 desc limit $3`
