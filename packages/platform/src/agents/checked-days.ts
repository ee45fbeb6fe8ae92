import type { Database } from '@farebox/server/internal/postgres/connect'

/** What the checks of one UTC day found. */
export interface CheckedDay {
  /** Its midnight. */
  readonly dayMs: number
  readonly ok: number
  readonly failed: number
  /** How much of it the agent was offline. */
  readonly offlineSeconds: number
}

/** How long days are kept, however long hours are. */
const KEPT_DAYS = 90

export const DAY_MS = 86_400_000

/** The midnight, UTC, at which the newest `days` days began, of which the one under way is the last. */
export function beginOfDays(days: number, nowMs: number): number {
  return Math.floor(nowMs / DAY_MS) * DAY_MS - (days - 1) * DAY_MS
}

/**
 * Day by day from `fromMs` on, the oldest first; days without a check are left out. Undefined where no agent of this
 * number is shown.
 *
 * @param fromMs a midnight, UTC
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

/** Removes days older than `KEPT_DAYS`, some at a time; resolves to how many. */
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
  /** Null where there was no check at all. */
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
