import type { z } from 'zod'
import type { capabilityDashboard, dashboard } from '@farebox/platform-api/owners'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import type { Database } from '@farebox/server/internal/postgres/connect'
import { readHours } from '../agents/history.ts'

const DAY_MS = 86_400_000
/** A declaration has few capabilities, but jobs still contain the names of renamed ones. */
const MAX_CAPABILITIES = 200

/**
 * Reads how an agent performed in the last days: the jobs that the platform sent it for callers, their earnings, and
 * its health by the hour. The platform's own daily jobs are not counted.
 */
export async function readDashboard(
  database: Database,
  agentId: number,
  { days, nowMs }: { readonly days: number; readonly nowMs: number },
): Promise<z.infer<typeof dashboard>> {
  const from = new Date(nowMs - days * DAY_MS)
  const [jobs, hours] = await Promise.all([
    database.query<JobsRow>('dashboard-jobs', JOBS, [agentId, from, MAX_CAPABILITIES]),
    readHours(database, agentId, days, nowMs),
  ])
  return {
    agent_id: agentId,
    from: toSeconds(from),
    to: Math.floor(nowMs / 1_000),
    ...describeJobs(jobs.find(row => row.capability === null) ?? NO_JOBS),
    capabilities: jobs.flatMap(row =>
      row.capability === null ? [] : [{ capability: row.capability, ...describeJobs(row) }],
    ),
    health: hours.map(({ hourMs, ok, failed, latencyMs }) => ({
      at: hourMs / 1e3,
      ok,
      failed,
      latency_min_ms: latencyMs?.min ?? null,
      latency_mean_ms: latencyMs?.mean ?? null,
      latency_max_ms: latencyMs?.max ?? null,
    })),
  }
}

/** Sums over the jobs of one or several capabilities, computed by {@link JOB_SUMS}. */
export interface JobSums {
  readonly sent: string
  readonly completed: string
  readonly failed: string
  readonly expired: string
  readonly percentiles: readonly number[] | null
  readonly earned_atomic: string
}

interface JobsRow extends JobSums {
  /** Null in the row of all capabilities together. */
  readonly capability: string | null
}

/** The sums over zero jobs. */
export const NO_JOBS: JobSums = {
  sent: '0',
  completed: '0',
  failed: '0',
  expired: '0',
  percentiles: null,
  earned_atomic: '0',
}

/** The SQL columns of {@link JobSums}, computed over rows of `jobs`. */
export const JOB_SUMS = `count(*) as sent,
    count(*) filter (where state = 'completed' and not charged_without_delivery) as completed,
    count(*) filter (where state = 'failed' or state = 'completed' and charged_without_delivery) as failed,
    count(*) filter (where state = 'expired') as expired,
    percentile_disc(array[0.5, 0.95]) within group (order by elapsed_ms)
      filter (where state = 'completed' and not charged_without_delivery and elapsed_ms is not null) as percentiles,
    coalesce(sum(amount_atomic) filter (where transaction is not null), 0) as earned_atomic`

const JOBS = `
  select capability, ${JOB_SUMS}
  from jobs where agent_id = $1 and created_at >= $2 and kind = 'caller'
  group by grouping sets ((capability), ())
  order by capability nulls first limit $3`

/** Converts the sums of jobs to their public form. */
export function describeJobs(row: JobSums): Omit<z.infer<typeof capabilityDashboard>, 'capability'> {
  const [sent, completed, failed, expired] = [
    Number(row.sent),
    Number(row.completed),
    Number(row.failed),
    Number(row.expired),
  ]
  const decided = completed + failed + expired
  const [p50, p95] = row.percentiles ?? []
  return {
    jobs: { sent, completed, failed, expired, open: sent - decided },
    success: decided === 0 ? null : completed / decided,
    p50_ms: p50 ?? null,
    p95_ms: p95 ?? null,
    earned: formatUsdc(BigInt(row.earned_atomic)),
    earned_atomic: row.earned_atomic,
  }
}

function toSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1_000)
}
