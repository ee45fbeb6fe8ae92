import type { Database } from '@farebox/server/internal/postgres/connect'
import type pg from 'pg'

/** The results of an agent's jobs for others. Jobs paid by its owner or by its own wallets are excluded. */
export interface Tally {
  /** Jobs delivered and paid, without a limit for each payer. */
  readonly jobsDone: number
  /** Payers with at least one such job. */
  readonly payers: number
  /** Paid jobs, counting at most the newest ten of each payer. */
  readonly paid: number
  /** Jobs that failed by the agent's fault, with the same limit. */
  readonly failed: number
  /** Payers with at least one job that counts as paid. */
  readonly paying: number
  /** Failed jobs that do not count against the agent: at most the newest ten of each payer. */
  readonly leftOut: number
  /** The median and the 95th percentile of the durations of its newest paid jobs; undefined before the first. */
  readonly jobP50Ms: number | undefined
  readonly jobP95Ms: number | undefined
}

const NOTHING: Tally = {
  jobsDone: 0,
  payers: 0,
  paid: 0,
  failed: 0,
  paying: 0,
  leftOut: 0,
  jobP50Ms: undefined,
  jobP95Ms: undefined,
}

/** Reads the stored tally of an agent; outcomes since the last `applyRecounts` are not included. */
export async function readTally(client: pg.PoolClient | Database['pool'], agentId: number): Promise<Tally> {
  const { rows } = await client.query<TallyColumns>(READ_TALLY, [agentId])
  const [row] = rows
  if (row === undefined) return NOTHING
  return {
    jobsDone: Number(row.jobs_done),
    payers: Number(row.payers),
    paid: Number(row.paid),
    failed: Number(row.failed),
    paying: Number(row.paying),
    leftOut: Number(row.left_out),
    jobP50Ms: row.job_p50_ms ?? undefined,
    jobP95Ms: row.job_p95_ms ?? undefined,
  }
}

interface TallyColumns {
  readonly jobs_done: string
  readonly payers: string
  readonly paid: string
  readonly failed: string
  readonly paying: string
  readonly left_out: string
  readonly job_p50_ms: number | null
  readonly job_p95_ms: number | null
}

const READ_TALLY = `
  select t.jobs_done - coalesce(own.jobs_done, 0) as jobs_done, t.payers - own.payers as payers,
    t.paid - coalesce(own.paid, 0) as paid, t.failed - coalesce(own.failed, 0) as failed,
    t.paying - own.paying as paying, t.left_out - coalesce(own.left_out, 0) as left_out,
    t.job_p50_ms, t.job_p95_ms
  from agent_tallies t join agents a using (agent_id)
  cross join lateral (
    select sum(jobs_done) as jobs_done, sum(paid) as paid, sum(failed) as failed, sum(left_out) as left_out,
      count(*) filter (where jobs_done > 0) as payers, count(*) filter (where paid > 0) as paying
    from agent_payers where agent_id = a.agent_id and payer in (a.owner, a.wallet, a.proven_wallet)) as own
  where t.agent_id = $1`
