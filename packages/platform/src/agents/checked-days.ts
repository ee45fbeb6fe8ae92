import type { Database } from '@farebox/server/internal/postgres/connect'

/** The results of the checks of one UTC day. */
export interface CheckedDay {
  /** Midnight at the start of the day, in Unix milliseconds. */
  readonly dayMs: number
  readonly ok: number
  readonly failed: number
  /** Seconds of the day during which the agent was offline. */
  readonly offlineSeconds: number
}

/** How many days of daily results are kept; hourly results have their own limit. */
const KEPT_DAYS = 90

export const DAY_MS = 86_400_000

/** The UTC midnight at the start of the newest `days` days, the last of which is the current day. In Unix milliseconds. */
export function beginOfDays(days: number, nowMs: number): number {
  return Math.floor(nowMs / DAY_MS) * DAY_MS - (days - 1) * DAY_MS
}

/**
 * The results by day since `fromMs`, the oldest first; days without a check are left out. `undefined` when no agent of this
 * number is shown.
 *
 * @param fromMs a UTC midnight, in Unix milliseconds
 */
export async function readDays(
  database: Database,
  agentId: number,
  fromMs: number,
): Promise<readonly CheckedDay[] | undefined> {
  const rows = await database.query<DayColumns>('read-days', READ_DAYS, [agentId, fromMs])
  if (rows.length === 0) return undefined
  return rows.flatMap(({ day, ok, failed, offline_seconds: offlineSeconds }) =>
    day === null ? [] : [{ dayMs: day.getTime(), ok, failed, offlineSeconds }],
  )
}

/** Deletes one batch of days older than `KEPT_DAYS`; resolves to the number of deleted rows. */
export async function pruneDays(database: Database, nowMs: number): Promise<number> {
  const rows = await database.query(
    'prune-days',
    `delete from agent_days where ctid = any(array(
       select ctid from agent_days where day < to_timestamp($1::float8 / 1000) limit 20000))
     returning 1`,
    [beginOfDays(KEPT_DAYS, nowMs)],
  )
  return rows.length
}

interface DayColumns {
  /** Null when the agent had no check. */
  readonly day: Date | null
  readonly ok: number
  readonly failed: number
  readonly offline_seconds: number
}

const READ_DAYS = `
  select checked.* from agents a left join lateral (
    select day, ok, failed, offline_seconds from agent_days
    where agent_id = a.agent_id and day >= to_timestamp($2::float8 / 1000)
    union all
    select day, day_ok, day_failed, day_offline_seconds from agent_health
    where agent_id = a.agent_id and day >= to_timestamp($2::float8 / 1000) and day_ok + day_failed > 0
  ) as checked on true
  where a.agent_id = $1 and a.standing in ('listed', 'provisional') order by checked.day`
