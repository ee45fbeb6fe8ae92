import type { OwnerJobLine } from '@farebox/platform-api/me/owner-dashboard'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import type { Database } from '@farebox/server/internal/postgres/connect'
import { Refusal } from '../http/refusal.ts'
import { isCharged, type AnswerState, type JobState, type PaymentStatus } from '../jobs/records/states.ts'

/** The selection of jobs: those paid by an address, or those that callers sent to an agent. */
export type JobsOf = { readonly payer: string } | { readonly agentId: number }

/** Filter and position of one page of jobs. */
export interface JobsPage {
  readonly status?: JobState | undefined
  /** The `next` of the previous page. */
  readonly cursor?: string | undefined
  readonly limit: number
}

/** A job as lists show it, with the column names of the table. */
export interface ListedJob {
  readonly job_id: string
  readonly run_id: string | null
  readonly agent_id: string
  readonly agent_name: string
  readonly capability: string
  readonly state: JobState
  readonly amount_atomic: string
  readonly created_at: Date
  readonly finished_at: Date | null
  readonly elapsed_ms: number | null
  readonly error_type: string | null
  readonly error: string | null
  readonly answer: AnswerState
  readonly payment: PaymentStatus
  readonly transaction: string | null
  readonly network: string
  readonly valid_before: string
}

/**
 * One page of jobs, the newest first, without input and output. Jobs ordered between two requests shift nothing, because a
 * page begins after the last job of the previous page.
 *
 * @returns the jobs, and the cursor of the next page; `undefined` on the last page
 * @throws {Refusal} `validation` when the cursor cannot be read
 */
export async function listJobs(
  database: Database,
  of: JobsOf,
  { status, cursor, limit }: JobsPage,
): Promise<{ readonly jobs: readonly ListedJob[]; readonly next: string | undefined }> {
  const isPayers = 'payer' in of
  const values: unknown[] = [isPayers ? of.payer : of.agentId, limit + 1]
  const conditions = [isPayers ? 'payer = $1' : "agent_id = $1 and kind = 'caller'"]
  if (status !== undefined) conditions.push(`state = $${values.push(status)}`)
  if (cursor !== undefined) {
    const { createdAt, jobId } = readCursor(cursor)
    conditions.push(`(created_at, job_id) < ($${values.push(createdAt)}, $${values.push(jobId)})`)
  }
  const name = ['list-jobs', isPayers ? 'payer' : 'agent', status && 'status', cursor && 'cursor']
  const rows = await database.query<ListedJob>(
    name.filter(Boolean).join('-'),
    `select ${LISTED} from jobs where ${conditions.join(' and ')} and nonce is not null
     order by created_at desc, job_id desc limit $2`,
    values,
  )
  const jobs = rows.slice(0, limit)
  const last = rows.length > limit ? jobs.at(-1) : undefined
  return { jobs, next: last && `${last.created_at.getTime()}_${last.job_id}` }
}

/** One caller's job of this agent as a list of one; empty when this agent has no such job. */
export async function findAgentJob(
  database: Database,
  agentId: number,
  jobId: string,
): Promise<readonly ListedJob[]> {
  return await database.query<ListedJob>(
    'find-agent-job',
    `select ${LISTED} from jobs
     where job_id = $1 and agent_id = $2 and kind = 'caller' and nonce is not null`,
    [jobId.toLowerCase(), agentId],
  )
}

/** The newest jobs of callers over several agents, at most `limit`. */
export async function listLatestJobs(
  database: Database,
  agentIds: readonly number[],
  limit: number,
): Promise<readonly ListedJob[]> {
  return await database.query<ListedJob>(
    'list-latest-jobs',
    `select newest.* from unnest($1::bigint[]) as mine (mine_id) cross join lateral (
       select ${LISTED} from jobs where agent_id = mine_id and kind = 'caller' and nonce is not null
       order by created_at desc, job_id desc limit $2) as newest
     order by created_at desc, job_id desc limit $2`,
    [agentIds, limit],
  )
}

const LISTED = `job_id, run_id, agent_id, (select name from agents where agents.agent_id = jobs.agent_id) as agent_name,
  capability, state, amount_atomic, created_at, finished_at, elapsed_ms, error_type, error, answer, payment, transaction,
  network,
  valid_before`

/** A job as the owner of its agent sees it. */
export function toOwnerJobLine(job: ListedJob): OwnerJobLine {
  return {
    job_id: job.job_id,
    agent_id: Number(job.agent_id),
    capability: job.capability,
    status: job.state,
    error_type: job.error_type,
    charged: isCharged(job),
    amount: formatUsdc(BigInt(job.amount_atomic)),
    created_at: job.created_at.getTime() / 1_000,
    elapsed_ms: job.elapsed_ms,
  }
}

const CURSOR = /^(\d{1,15})_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

function readCursor(cursor: string): { readonly createdAt: Date; readonly jobId: string } {
  const [, ms, jobId] = CURSOR.exec(cursor) ?? []
  const createdAt = new Date(Number(ms))
  if (jobId !== undefined && !Number.isNaN(createdAt.getTime())) return { createdAt, jobId }
  throw new Refusal('validation', 'cursor: is none of ours')
}
