import type { Database } from '@farebox/server/internal/postgres/connect'
import type { Taking } from '../../work/places.ts'
import { JOB_COLUMNS, toJobRow, type JobColumns, type JobRow } from './job-row.ts'

/** For so long a worker has a job to itself; it is renewed while the worker lives. */
export const JOB_LEASE_MS = 6_000

/** Who takes jobs, and how many at most. */
export interface TakingJobs extends Pick<Taking, 'limit'> {
  readonly holder: string
  readonly nowMs: number
}

/** The words of the indexes of `jobs` in `0001-platform.sql`, which are of use only where these are the same. */
const HOST = "split_part(split_part(endpoint, '/', 3), ':', 1)"
/** The host that a job is sent to, as these statements and the guard have it: without its port. */
export function hostOf(endpoint: string): string {
  return endpoint.split('/')[2]?.split(':')[0] ?? ''
}

const TO_SEND = 'sends and next_look_at is not null'
const TO_LOOK_AT = 'not sends and next_look_at is not null'
const WANTED_UNTIL = 'greatest(to_timestamp(valid_before), expires_at, paid_at)'

/** Longer than `planJob` wants a job sent after that moment, so that no sending gets among the payment checks. */
const STILL_SENT = "interval '15 minutes'"

const IS_DUE = 'next_look_at <= $1 and (lease_until is null or lease_until <= $1)'
const TAKE = 'update jobs set lease_until = $2, lease_holder = $3'

/**
 * Takes jobs that are due to be sent and that nobody has: any number of workers share them without waiting for one
 * another. What a dead worker held is free after {@link JOB_LEASE_MS}.
 *
 * Of each host so many that it has `perKey` under way, those hosts first that have the fewest: a job that would only
 * wait for its host stays in the database and holds no slot. Of one host's, those first whose time is not over yet, by
 * how soon it is. It costs as much as there are hosts, however many jobs wait for one of them.
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

/** Takes jobs of which only the chain is to be looked at, the longest waiting first. */
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
 * Lets jobs that waited to be sent until nobody wants that any more be looked at: what became of their payment is
 * found out however slow their host is.
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

/** Keeps jobs a while longer. */
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
 * Lets a job go until `nextDueAtMs`. Where that is undefined nothing is left to be done, and the signed payment is
 * forgotten. A job that was retried since is somebody else's by now, and stays as it is.
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
