import type { Database } from '@farebox/server/internal/postgres/connect'

/** The number of checks in a period. */
export interface CheckCount {
  readonly ok: number
  readonly failed: number
  /** Hours with at least one check. */
  readonly hours: number
}

/** The results of the checks of one hour. */
export interface CheckedHour {
  /** Start of the hour, in Unix milliseconds. */
  readonly hourMs: number
  readonly ok: number
  readonly failed: number
  /** Latency of the checks that passed; `undefined` when none passed. */
  readonly latencyMs: { readonly min: number; readonly mean: number; readonly max: number } | undefined
}

/** How many days of hourly results are kept. */
const HISTORY_DAYS = 35

export const HOUR_MS = 3_600_000

/** Counts the checks of the last `days` times 24 hours, including the current hour. */
export async function countChecks(
  database: Database,
  agentId: number,
  days: number,
  nowMs: number,
): Promise<CheckCount> {
  const [row] = await database.query<{ ok: string; failed: string; hours: string }>(
    'count-checks',
    `select coalesce(sum(ok), 0) as ok, coalesce(sum(failed), 0) as failed, count(*) as hours
     from (${HOURS}) as hours where ok + failed > 0`,
    [agentId, nowMs - days * 24 * HOUR_MS, nowMs],
  )
  return { ok: Number(row?.ok ?? 0), failed: Number(row?.failed ?? 0), hours: Number(row?.hours ?? 0) }
}

/** The share of checks that passed, from 0 to 1; `undefined` without checks. */
export function uptimeOf({ ok, failed }: Pick<CheckCount, 'ok' | 'failed'>): number | undefined {
  return ok + failed === 0 ? undefined : ok / (ok + failed)
}

/**
 * The uptime that counts for a badge (D34, "over 7 days"). `undefined` until the agent was watched for the whole period,
 * and when fewer than half of the possible hours were checked: gaps are not the agent's fault, and the rest is too little
 * data.
 */
export function uptimeOverSpan(
  count: CheckCount,
  span: {
    readonly days: number
    readonly watchedSinceMs: number
    readonly nowMs: number
    readonly checkIntervalMs: number
  },
): number | undefined {
  const { days, watchedSinceMs, nowMs, checkIntervalMs } = span
  const spanMs = days * 24 * HOUR_MS
  if (nowMs - watchedSinceMs < spanMs) return undefined
  const possibleHours = spanMs / Math.max(HOUR_MS, checkIntervalMs)
  return count.hours * 2 < possibleHours ? undefined : uptimeOf(count)
}

/** The results by hour, the oldest first; hours without a check are left out. */
export async function readHours(
  database: Database,
  agentId: number,
  days: number,
  nowMs: number,
): Promise<readonly CheckedHour[]> {
  const rows = await database.query<{ hour: Date; ok: number; failed: number; latencies_ms: number[] }>(
    'read-hours',
    `select hour, ok, failed, latencies_ms from (${HOURS}) as hours where ok + failed > 0 order by hour`,
    [agentId, nowMs - days * 24 * HOUR_MS, nowMs],
  )
  return rows.map(row => ({
    hourMs: row.hour.getTime(),
    ok: row.ok,
    failed: row.failed,
    latencyMs: summarize(row.latencies_ms),
  }))
}

/** Deletes one batch of hours older than `HISTORY_DAYS`; resolves to the number of deleted rows. */
export async function pruneHours(database: Database, nowMs: number): Promise<number> {
  const rows = await database.query(
    'prune-hours',
    `delete from agent_hours where ctid = any(array(
       select ctid from agent_hours where hour < to_timestamp($1::float8 / 1000) limit 20000))
     returning 1`,
    [nowMs - HISTORY_DAYS * 24 * HOUR_MS],
  )
  return rows.length
}

/** Past hours and the current hour of agent $1 that begin after $2 and not after $3, in Unix milliseconds. */
export const HOURS = `
  select hour, ok, failed, latencies_ms from agent_hours
  where agent_id = $1 and hour > to_timestamp($2::float8 / 1000) and hour <= to_timestamp($3::float8 / 1000)
  union all
  select hour, hour_ok, hour_failed, hour_latencies_ms from agent_health
  where agent_id = $1 and hour > to_timestamp($2::float8 / 1000) and hour <= to_timestamp($3::float8 / 1000)`

function summarize(latencies: readonly number[]): CheckedHour['latencyMs'] {
  if (latencies.length === 0) return undefined
  const sum = latencies.reduce((total, latency) => total + latency, 0)
  return {
    min: Math.min(...latencies),
    mean: Math.round(sum / latencies.length),
    max: Math.max(...latencies),
  }
}
