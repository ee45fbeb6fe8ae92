import type { Database } from '@farebox/server/postgres/connect'
import { JOB_COLUMNS, toJobRow, type JobColumns, type JobRow } from './job-row.ts'

/** For so long a worker has a job to itself; it is renewed while the worker lives. */
export const LEASE_MS = 15_000

/**
 * Takes jobs that are due and that nobody has, the longest waiting first: any number of workers share them without
 * waiting for one another. What a dead worker held is free after {@link LEASE_MS}.
 */
export async function takeDueJobs(
  database: Database,
  { holder, limit, nowMs }: { readonly holder: string; readonly limit: number; readonly nowMs: number },
): Promise<readonly JobRow[]> {
  const rows = await database.query<JobColumns>(
    'take-due-jobs',
    `update jobs set lease_until = $2, lease_holder = $3
     where job_id in (
       select job_id from jobs where next_look_at <= $1 and (lease_until is null or lease_until <= $1)
       order by next_look_at limit $4 for update skip locked)
     returning ${JOB_COLUMNS}`,
    [new Date(nowMs), new Date(nowMs + LEASE_MS), holder, limit],
  )
  return rows.map(toJobRow)
}

/** Keeps a job a while longer. */
export async function renewLease(
  database: Database,
  jobId: string,
  { holder, nowMs }: { readonly holder: string; readonly nowMs: number },
): Promise<void> {
  await database.query(
    'renew-job-lease',
    'update jobs set lease_until = $3 where job_id = $1 and lease_holder = $2',
    [jobId, holder, new Date(nowMs + LEASE_MS)],
  )
}

/**
 * Lets a job go until `nextLookAtMs`. Where that is undefined nothing is left to be done, and the signed payment is
 * forgotten.
 */
export async function releaseJob(
  database: Database,
  jobId: string,
  { holder, nextLookAtMs }: { readonly holder: string; readonly nextLookAtMs: number | undefined },
): Promise<void> {
  await database.query(
    'release-job',
    `update jobs set lease_until = null, lease_holder = null, next_look_at = $3,
       payment_header = case when $3::timestamptz is null then null else payment_header end
     where job_id = $1 and lease_holder = $2`,
    [jobId, holder, nextLookAtMs === undefined ? null : new Date(nextLookAtMs)],
  )
}
