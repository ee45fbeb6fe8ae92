import { createHash } from 'node:crypto'
import { Refusal } from '../../http/refusal.ts'
import type { Caller } from '../../http/route.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import type { JobRow } from '../records/job-row.ts'
import { readJob } from '../records/job-store.ts'
import { mayDelete, opensJob } from '../records/job-token.ts'

/** The credentials shown with a request for a job. */
export interface ShownJob {
  readonly caller: Caller
  readonly token: string | undefined
  /** The token of the run that ordered the job; it allows reading. */
  readonly runToken?: string | undefined
}

/** Reads the credentials from a request. */
export function shownBy(
  caller: Caller,
  headers: { readonly 'job-token'?: string | undefined; readonly 'run-token'?: string | undefined },
): ShownJob {
  return { caller, token: headers['job-token'], runToken: headers['run-token'] }
}

/**
 * Reads a job for a caller who is signed in with the paying address, or who shows a token of the job or of its run.
 *
 * @throws {Refusal} `not_found` for any other caller, whether the job exists or not
 */
export async function openJob(
  { database }: Pick<PlatformParts, 'database'>,
  jobId: string,
  shown: ShownJob,
): Promise<JobRow> {
  const job = await readJob(database, jobId.toLowerCase())
  if (job !== undefined && (mayOpen(job, shown) || (await opensRun(database, job, shown)))) return job
  throw new Refusal(
    'not_found',
    'jobId: there is no such job for you: sign in as its payer, or show its job-token',
  )
}

/**
 * Reads a job for a caller who may delete its contents. A token from a repeat of the order is not sufficient, because
 * everyone who received the job, such as its agent, can repeat its order.
 *
 * @throws {Refusal} `forbidden` for callers who may only read the job; otherwise as {@link openJob}
 */
export async function openToDelete(
  parts: Pick<PlatformParts, 'database'>,
  jobId: string,
  shown: ShownJob,
): Promise<JobRow> {
  const job = await openJob(parts, jobId, shown)
  if (isOrderer(job, shown)) return job
  throw new Refusal(
    'forbidden',
    'job-token: came with a repeat of the order and only reads: show the one of the first answer, or sign in as the payer',
  )
}

/**
 * Whether the caller ordered the job: signed in as its payer, or with the token of the first answer. A caller with another
 * token may be the agent, which must not change what the payment pays for.
 */
export function isOrderer(job: JobRow, shown: ShownJob): boolean {
  return isPayer(job, shown) || (shown.token !== undefined && mayDelete(shown.token, job.tokenHashes))
}

function mayOpen(job: JobRow, shown: ShownJob): boolean {
  return isPayer(job, shown) || (shown.token !== undefined && opensJob(shown.token, job.tokenHashes))
}

async function opensRun(
  database: PlatformParts['database'],
  { runId }: JobRow,
  { runToken }: ShownJob,
): Promise<boolean> {
  if (runId === undefined || runToken === undefined) return false
  const rows = await database.query(
    'open-run-of-job',
    'select 1 as one from runs where run_id = $1 and token_hash = $2',
    [runId, createHash('sha256').update(runToken).digest()],
  )
  return rows.length > 0
}

function isPayer({ payer }: JobRow, { caller }: ShownJob): boolean {
  return caller.kind === 'owner' && caller.address === payer
}
