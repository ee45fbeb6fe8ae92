import type { Database } from '@farebox/server/internal/postgres/connect'
import { RUN_COLUMNS, toRunRow, type RunColumns, type RunRow } from './run-row.ts'

/** For so long a worker has a run to itself. Where it dies, another takes the run then. */
export const RUN_LEASE_MS = 15_000

/** Who takes runs, and how many at most: in all, and of one payer. */
export interface TakingRuns {
  readonly holder: string
  readonly limit: number
  readonly perPayer: number
  readonly nowMs: number
}

/**
 * Takes runs that are due and that nobody has, the longest waiting of each payer first, so that a payer with many runs
 * holds up no other.
 */
export async function takeRuns(
  database: Database,
  { holder, limit, perPayer, nowMs }: TakingRuns,
): Promise<readonly RunRow[]> {
  const rows = await database.query<RunColumns>('take-runs', TAKE, [
    new Date(nowMs),
    new Date(nowMs + RUN_LEASE_MS),
    holder,
    limit,
    perPayer,
  ])
  return rows.map(toRunRow)
}

const IS_DUE = 'due_at <= $1 and (lease_until is null or lease_until <= $1)'

/** More than are taken are looked at, so that one payer's do not hide the others'. */
const TAKE = `
  update runs set lease_until = $2, lease_holder = $3
  where run_id in (
    select run_id from runs
    where run_id = any(array(
      select run_id from (
        select run_id, due_at, row_number() over (partition by payer order by due_at) as turn
        from (select run_id, payer, due_at from runs where ${IS_DUE} order by due_at limit 10 * $4) as due
      ) as turns
      where turn <= $5 order by turn, due_at limit $4)) and ${IS_DUE}
    for update skip locked)
  returning ${RUN_COLUMNS}`

/**
 * Lets a run go until `dueAtMs`, or until something happens where that is undefined. Where something has happened since it
 * was read, it is due at once.
 *
 * @returns whether it is due at once
 */
export async function releaseRun(
  database: Database,
  { runId, news }: Pick<RunRow, 'runId' | 'news'>,
  { holder, dueAtMs }: { readonly holder: string; readonly dueAtMs: number | undefined },
): Promise<boolean> {
  const rows = await database.query<{ is_due: boolean }>(
    'release-run',
    `update runs set lease_until = null, lease_holder = null,
       due_at = case when news = $3 then $4::timestamptz else '-infinity' end
     where run_id = $1 and lease_holder = $2
     returning due_at = '-infinity' as is_due`,
    [runId, holder, news, dueAtMs === undefined ? null : new Date(dueAtMs)],
  )
  return rows[0]?.is_due === true
}

/** Has a run looked at once more: something was done for it that only the rows of its jobs show. */
export async function noteNews(database: Database, runId: string): Promise<void> {
  await database.query(
    'note-news-of-run',
    `update runs set news = news + 1, due_at = '-infinity' where run_id = $1`,
    [runId],
  )
}
