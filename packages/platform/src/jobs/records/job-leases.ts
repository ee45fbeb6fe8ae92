import type { Database } from '@farebox/server/internal/postgres/connect'
import type { Taking } from '../../work/places.ts'
import { JOB_COLUMNS, toJobRow, type JobColumns, type JobRow } from './job-row.ts'

/** The duration of a worker's lease of a job, in milliseconds; the worker renews it while it lives. */
export const JOB_LEASE_MS = 6_000

/** The worker that leases jobs, and the most jobs it takes. */
export interface TakingJobs extends Pick<Taking, 'limit'> {
  readonly holder: string
  readonly nowMs: number
}

/** Must match the expressions of the indexes of `jobs` in `0001-platform.sql`; otherwise PostgreSQL cannot use these. */
const HOST = "split_part(split_part(endpoint, '/', 3), ':', 1)"
/** The host a job is sent to, without its port, as in these statements and the outbound guard. */
export function hostOf(endpoint: string): string {
  return endpoint.split('/')[2]?.split(':')[0] ?? ''
}

const TO_SEND = 'sends and next_look_at is not null'
const TO_LOOK_AT = 'not sends and next_look_at is not null'
const WANTED_UNTIL = 'greatest(to_timestamp(valid_before), expires_at, paid_at)'

/**
 * Longer than `planJob` still wants a job to be sent after that time, so that no job to be sent gets among the payment
 * checks.
 */
const STILL_SENT = "interval '15 minutes'"

const IS_DUE = 'next_look_at <= $1 and (lease_until is null or lease_until <= $1)'
const TAKE = 'update jobs set lease_until = $2, lease_holder = $3'

/**
 * Leases jobs that are due to be sent and not leased. Any number of workers share them without waiting for each other; jobs
 * of a dead worker become free after {@link JOB_LEASE_MS}.
 *
 * For each host it takes only so many that `perKey` are in progress, hosts with the fewest first: a job that would only
 * wait for its host stays in the database and occupies no slot. Of one host's jobs, those that have not expired come first,
 * the earliest expiry first. The cost depends on the number of hosts and not on the number of waiting jobs.
 */
export async function takeJobsToSend(
  database: Database,
  taking: Taking & TakingJobs,
): Promise<readonly JobRow[]> {
  const { perKey, underWay } = taking
  const hosts = [perKey, [...underWay.keys()], [...underWay.values()]]
  const values = [...valuesOf(taking), ...hosts]
  return (await database.query<JobColumns>('take-jobs-to-send', JOBS_TO_SEND, values)).map(toJobRow)
}

const JOBS_TO_SEND = `with recursive hosts(host) as (
    select min(${HOST}) from jobs where ${TO_SEND}
    union all
    select (select min(${HOST}) from jobs where ${TO_SEND} and ${HOST} > hosts.host)
    from hosts where hosts.host is not null
  ), rooms as (
    select host, greatest($5::int - coalesce(busy.jobs, 0), 0) as room
    from hosts left join unnest($6::text[], $7::int[]) as busy(host, jobs) using (host)
    where host is not null
  ), waiting as (
    select job_id, is_late, since,
      row_number() over (partition by host order by is_late, since) - room as turn
    from rooms cross join lateral (
      (select job_id, false as is_late, expires_at as since from jobs
       where ${TO_SEND} and ${HOST} = rooms.host and expires_at > $1 and ${IS_DUE}
       order by expires_at limit rooms.room)
      union all
      (select job_id, true, next_look_at from jobs
       where ${TO_SEND} and ${HOST} = rooms.host and expires_at <= $1 and ${IS_DUE}
       order by next_look_at limit rooms.room)
      order by is_late, since limit rooms.room
    ) as due
  )
  ${TAKE}
  where job_id in (
    select job_id from jobs
    where job_id = any(array(select job_id from waiting order by turn, is_late, since limit $4)) and ${IS_DUE}
    for update skip locked)
  returning ${JOB_COLUMNS}`

/** Leases jobs for which only the payment must be checked, the longest waiting first. */
export async function takeJobsToCheckPayment(
  database: Database,
  taking: TakingJobs,
): Promise<readonly JobRow[]> {
  const rows = await database.query<JobColumns>(
    'take-jobs-to-look-at',
    `${TAKE}
     where job_id in (
       select job_id from jobs where ${TO_LOOK_AT} and ${IS_DUE}
       order by next_look_at limit $4 for update skip locked)
     returning ${JOB_COLUMNS}`,
    valuesOf(taking),
  )
  return rows.map(toJobRow)
}

function valuesOf({ holder, limit, nowMs }: TakingJobs): readonly unknown[] {
  return [new Date(nowMs), new Date(nowMs + JOB_LEASE_MS), holder, limit]
}

/**
 * Moves jobs that were never sent, and are past the time for sending, to the payment checks, so that the state of their
 * payment is found even if their host is slow.
 */
export async function endSendings(database: Database, nowMs: number): Promise<void> {
  await database.query(
    'end-sendings',
    `update jobs set sends = false
     where ${TO_SEND} and ${WANTED_UNTIL} < $1::timestamptz - ${STILL_SENT}
       and (lease_until is null or lease_until <= $1)`,
    [new Date(nowMs)],
  )
}

/** Extends the leases of these jobs. */
export async function renewLeases(
  database: Database,
  {
    holder,
    jobIds,
    nowMs,
  }: { readonly holder: string; readonly jobIds: readonly string[]; readonly nowMs: number },
): Promise<void> {
  if (jobIds.length === 0) return
  await database.query(
    'renew-job-leases',
    'update jobs set lease_until = $3 where job_id = any($2::uuid[]) and lease_holder = $1',
    [holder, jobIds, new Date(nowMs + JOB_LEASE_MS)],
  )
}

/**
 * Releases a job until `nextDueAtMs`. When that is `undefined` no work is left, and the signed payment is deleted. A job
 * that was retried since belongs to another worker and is not changed.
 */
export async function releaseJob(
  database: Database,
  { jobId, attempt }: Pick<JobRow, 'jobId' | 'attempt'>,
  { holder, nextDueAtMs }: { readonly holder: string; readonly nextDueAtMs: number | undefined },
): Promise<void> {
  await database.query(
    'release-job',
    `update jobs set lease_until = null, lease_holder = null, next_look_at = $3,
       sends = coalesce(not asking_over and sealed_payment is not null and answer <> 'completed'
         and (answer <> 'failed' or payment = 'paid')
         and ${WANTED_UNTIL} >= $3::timestamptz - ${STILL_SENT}, false),
       sealed_payment = case when $3::timestamptz is null then null else sealed_payment end
     where job_id = $1 and lease_holder = $2 and attempt = $4`,
    [jobId, holder, nextDueAtMs === undefined ? null : new Date(nextDueAtMs), attempt],
  )
}
