import type { Database } from '@farebox/server/internal/postgres/connect'

/** How a daily job went. `skipped`: none was made, for a reason that is not the agent's doing. */
export type CanaryOutcome = 'ok' | 'failed' | 'skipped'

/** What is known of an agent by our own jobs. */
export interface LastCanary {
  /** Undefined while it runs. */
  readonly outcome: CanaryOutcome | undefined
  /** Why, unless it went well. */
  readonly reason: string | undefined
  readonly ranAtMs: number | undefined
  /** The job, where one was made. */
  readonly jobId: string | undefined
}

/** An agent whose turn it is. */
export interface DueCanary {
  readonly agentId: number
  /** A job that was begun and whose outcome was never written down. */
  readonly unfinishedJobId: string | undefined
}

/** Longer than one takes. */
const LEASE_MS = 300_000
const ENROLLED_AT_ONCE = 1_000

/** The last daily job of an agent: "works" means works. Undefined where there was none. */
export async function readLastCanary(database: Database, agentId: number): Promise<LastCanary | undefined> {
  const [row] = await database.query<{
    outcome: CanaryOutcome | null
    reason: string | null
    ran_at: Date | null
    job_id: string | null
  }>('read-last-canary', 'select outcome, reason, ran_at, job_id from canaries where agent_id = $1', [
    agentId,
  ])
  if (row === undefined || (row.outcome === null && row.job_id === null)) return undefined
  return {
    outcome: row.outcome ?? undefined,
    reason: row.reason ?? undefined,
    ranAtMs: row.ran_at?.getTime(),
    jobId: row.job_id ?? undefined,
  }
}

/** Gives agents that are listed and have none yet a turn of their own, spread over the time to come. */
export async function enrollAgents(
  database: Database,
  { nowMs, withinMs }: { readonly nowMs: number; readonly withinMs: number },
): Promise<void> {
  await database.query(
    'enroll-canaries',
    `insert into canaries (agent_id, next_run_at)
     select agent_id, $1::timestamptz + random() * $2 * interval '1 millisecond' from agents
     where standing = 'listed' and wallet = proven_wallet
       and not exists (select 1 from canaries where canaries.agent_id = agents.agent_id)
     limit ${ENROLLED_AT_ONCE}
     on conflict do nothing`,
    [new Date(nowMs), withinMs],
  )
}

/** Takes agents whose turn it is and whom no other worker has. */
export async function takeDueCanaries(
  database: Database,
  { nowMs, limit }: { readonly nowMs: number; readonly limit: number },
): Promise<readonly DueCanary[]> {
  const rows = await database.query<{ agent_id: string; job_id: string | null; outcome: string | null }>(
    'take-due-canaries',
    `update canaries set lease_until = $2
     where agent_id in (
       select agent_id from canaries where next_run_at <= $1 and (lease_until is null or lease_until <= $1)
       order by next_run_at limit $3 for update skip locked)
     returning agent_id, job_id, outcome`,
    [new Date(nowMs), new Date(nowMs + LEASE_MS), limit],
  )
  return rows.map(row => ({
    agentId: Number(row.agent_id),
    unfinishedJobId: row.outcome === null && row.job_id !== null ? row.job_id : undefined,
  }))
}

/** Writes down which job is about to be made, before it is paid for: it is found again whatever ends. */
export async function beginCanary(
  database: Database,
  agentId: number,
  jobId: string,
  nowMs: number,
): Promise<void> {
  await database.query(
    'begin-canary',
    'update canaries set job_id = $2, outcome = null, reason = null, ran_at = $3 where agent_id = $1',
    [agentId, jobId, new Date(nowMs)],
  )
}

/** Writes down how it went, and when the next turn is. */
export async function endCanary(
  database: Database,
  agentId: number,
  ended: {
    /** Undefined: it still runs. */
    readonly outcome: CanaryOutcome | undefined
    readonly reason: string | undefined
    readonly nowMs: number
    readonly nextRunAtMs: number
  },
): Promise<void> {
  await database.query(
    'end-canary',
    `update canaries set outcome = $2, reason = $3, next_run_at = $4, lease_until = null,
       job_id = case when $2 = 'skipped' then null else job_id end,
       ran_at = case when $2::text is null then ran_at else $5 end
     where agent_id = $1`,
    [agentId, ended.outcome, ended.reason, new Date(ended.nextRunAtMs), new Date(ended.nowMs)],
  )
}
