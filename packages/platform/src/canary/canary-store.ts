import type { Database } from '@farebox/server/internal/postgres/connect'

/** The outcome of a canary job. `skipped`: no job was sent, for a reason that is not the agent's fault. */
export type CanaryOutcome = 'ok' | 'failed' | 'skipped'

/** The newest canary job of an agent. */
export interface LastCanary {
  /** `undefined` while the job runs. */
  readonly outcome: CanaryOutcome | undefined
  /** The reason, unless the outcome is `ok`. */
  readonly reason: string | undefined
  readonly ranAtMs: number | undefined
  /** The id of the job; `undefined` when none was sent. */
  readonly jobId: string | undefined
}

/** An agent that is due for a canary job. */
export interface DueCanary {
  readonly agentId: number
  /** The id of a job that was started and whose outcome was not recorded. */
  readonly unfinishedJobId: string | undefined
}

/** The lease of a worker; longer than a canary job takes. */
const LEASE_MS = 300_000
const ENROLLED_AT_ONCE = 1_000

/** The last canary job of an agent, which shows whether the agent really works; `undefined` when there was none. */
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

/** Schedules the first canary job of listed agents that have none, at random times within `withinMs`. */
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

/** Leases agents that are due and not leased by another worker. */
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

/** Records the id of the job before it is paid for, so that the job is found again after a crash. */
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

/** Records the outcome and the time of the next canary job. */
export async function endCanary(
  database: Database,
  agentId: number,
  ended: {
    /** `undefined` when the job still runs. */
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
