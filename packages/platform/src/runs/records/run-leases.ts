import type { Database } from '@farebox/server/internal/postgres/connect'
import type { PlatformParts } from '../../platform-parts.ts'
import { RUN_COLUMNS, toRunRow, type RunColumns, type RunRow } from './run-row.ts'

/**
 * How long a worker has a leased run to itself, unless it renews the lease. When the worker dies, another one leases
 * the run after this time.
 */
export const RUN_LEASE_MS = 6_000

/** The process that leases runs, and the maximum number of runs: in all, and of one origin (`originOf`). */
export interface TakingRuns {
  readonly holder: string
  readonly limit: number
  readonly perOrigin: number
  readonly nowMs: number
  /** Runs that the holder is currently driving; they are not leased again. */
  readonly except: readonly string[]
}

/**
 * Leases due runs that no other process holds, the longest waiting of each origin first, so that an origin with many
 * runs does not delay the others. A leased run becomes due again when its lease ends, or earlier when an event for it
 * arrives.
 */
export async function takeRuns(
  database: Database,
  { holder, limit, perOrigin, nowMs, except }: TakingRuns,
): Promise<readonly RunRow[]> {
  const rows = await database.query<RunColumns>('take-runs', TAKE, [
    new Date(nowMs),
    new Date(nowMs + RUN_LEASE_MS),
    holder,
    limit,
    perOrigin,
    except,
  ])
  return rows.map(toRunRow)
}

const IS_DUE = `due_at <= $1 and (lease_until is null or lease_until <= $1 or lease_holder = $3)
  and not run_id = any($6::uuid[])`

/** More rows are read than leased, so that the runs of one origin do not hide those of others. */
const TAKE = `
  update runs set lease_until = $2, lease_holder = $3, due_at = $2
  where run_id in (
    select run_id from runs
    where run_id = any(array(
      select run_id from (
        select run_id, due_at, row_number() over (partition by coalesce(started_from, payer, run_id::text) order by due_at) as turn
        from (select run_id, payer, started_from, due_at from runs where ${IS_DUE} order by due_at limit 10 * $4) as due
      ) as turns
      where turn <= $5 order by turn, due_at limit $4)) and ${IS_DUE}
    for update skip locked)
  returning ${RUN_COLUMNS}`

/** How a worker leaves a run after driving it. */
export interface Leave {
  readonly holder: string
  /** When the run is due again; undefined when only an event makes it due. */
  readonly dueAtMs: number | undefined
  /**
   * The worker keeps the run until then and observes the outcomes of its jobs itself; undefined when it releases the
   * run.
   */
  readonly keptUntilMs: number | undefined
}

/** The state of a run after it was left. */
export type LeftRun = {
  /** An event has arrived that the worker has not processed. */
  readonly is_due: boolean
  /** The worker still keeps the run. */
  readonly is_kept: boolean
}

/**
 * The columns of a run that {@link Leave} sets, as SQL with the names of the parameters for it and for the news that
 * were read (null: all that exist). A run held by another process, and a run changed without leaving it, becomes due at
 * once.
 *
 * A kept run becomes due when its lease is not renewed, so that it is found when its process has died.
 */
export function leaveColumns(by: {
  readonly holder: string
  readonly dueAt: string
  readonly keptUntil: string
  readonly news: string
}): string {
  const [isOurs, keptUntil] = [`lease_holder = ${by.holder}::uuid`, `${by.keptUntil}::timestamptz`]
  return `
    due_at = case
      when ${isOurs} and ${keptUntil} is not null and due_at is distinct from '-infinity'
        then least(${by.dueAt}::timestamptz, ${keptUntil})
      when ${isOurs} and ${keptUntil} is null and news = coalesce(${by.news}::bigint, news) then ${by.dueAt}::timestamptz
      else '-infinity' end,
    lease_until = case when ${isOurs} then ${keptUntil} else lease_until end,
    lease_holder = case when ${isOurs} and ${keptUntil} is null then null else lease_holder end`
}

/** The columns of {@link LeftRun}, for a `returning` clause. */
export function leftColumns(holder: string): string {
  return `coalesce(due_at = '-infinity', false) as is_due, coalesce(lease_holder = ${holder}::uuid, false) as is_kept`
}

/** The parameters of {@link leaveColumns} except the changes. */
export function valuesOfLeave(leave: Leave | undefined): readonly [string | null, Date | null, Date | null] {
  const dateOf = (ms: number | undefined): Date | null => (ms === undefined ? null : new Date(ms))
  return [leave?.holder ?? null, dateOf(leave?.dueAtMs), dateOf(leave?.keptUntilMs)]
}

/** Leaves a run without changing it. */
export async function leaveRun(
  database: Database,
  { runId, news }: Pick<RunRow, 'runId' | 'news'>,
  leave: Leave,
): Promise<LeftRun> {
  const by = { holder: '$2', dueAt: '$3', keptUntil: '$4', news: '$5' }
  const rows = await database.query<LeftRun>(
    'leave-run',
    `update runs set ${leaveColumns(by)} where run_id = $1 and lease_holder = $2::uuid returning ${leftColumns('$2')}`,
    [runId, ...valuesOfLeave(leave), news],
  )
  return rows[0] ?? { is_due: false, is_kept: false }
}

/** A run that a worker continues to keep. */
export interface KeptOn {
  readonly runId: string
  /** When it is due even without an event, possibly after its lease; undefined when only an event makes it due. */
  readonly dueAtMs: number | undefined
}

/** The runs that a worker keeps, and those it no longer keeps, which become due at once. */
export interface KeptRuns {
  readonly holder: string
  readonly kept: readonly KeptOn[]
  readonly forgotten: readonly string[]
  readonly nowMs: number
}

/**
 * Renews the leases of kept runs. A run that was due at the end of its lease becomes due at the end of the new one, or
 * at its own earlier time.
 */
export async function renewRuns(
  database: Database,
  { holder, kept, forgotten, nowMs }: KeptRuns,
): Promise<void> {
  if (kept.length + forgotten.length === 0) return
  await database.query(
    'renew-runs',
    `update runs set lease_until = $5, due_at = case
         when is_forgotten then '-infinity'
         when due_at = lease_until then least($5::timestamptz, wanted_at) else due_at end
     from (
       select run_id, wanted_at, false as is_forgotten from unnest($2::uuid[], $3::timestamptz[]) as kept(run_id, wanted_at)
       union all select run_id, null, true from unnest($4::uuid[]) as forgotten(run_id)) as known
     where runs.run_id = known.run_id and lease_holder = $1`,
    [
      holder,
      kept.map(({ runId }) => runId),
      kept.map(({ dueAtMs }) => (dueAtMs === undefined ? null : new Date(dueAtMs))),
      forgotten,
      new Date(nowMs + RUN_LEASE_MS),
    ],
  )
}

/** Releases all runs of a worker that stops: they are due at once. */
export async function releaseRuns(database: Database, holder: string): Promise<void> {
  await database.query(
    'release-runs',
    `update runs set lease_until = null, lease_holder = null, due_at = '-infinity' where lease_holder = $1`,
    [holder],
  )
}

/** Makes a run due because a change is visible only in the rows of its jobs. */
export async function noteNews(
  { database, due }: Pick<PlatformParts, 'database' | 'due'>,
  runId: string,
): Promise<void> {
  await database.query(
    'note-news-of-run',
    `update runs set news = news + 1, due_at = '-infinity' where run_id = $1`,
    [runId],
  )
  due.runs.notify()
}
