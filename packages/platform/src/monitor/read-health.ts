import type { AgentHealth } from '@farebox/platform-api/monitor'
import type { Database } from '@farebox/server/internal/postgres/connect'
import { availabilityOf, availabilityWord } from '../agents/availability.ts'
import type { CheckReason } from './ask/check-agent.ts'
import { HOUR_MS, HOURS, readHours, uptimeOf, type CheckedHour } from '../agents/history.ts'

/** The health of an agent without its hourly timeline. */
export type HealthSummary = Omit<AgentHealth, 'timeline'>

/**
 * Reads the health of a listed or provisional agent with its hourly timeline; undefined when there is none with this
 * number.
 */
export async function readHealth(
  database: Database,
  agentId: number,
  { days, nowMs }: { readonly days: number; readonly nowMs: number },
): Promise<AgentHealth | undefined> {
  const [summary, hours] = await Promise.all([
    readHealthSummary(database, agentId, nowMs),
    readHours(database, agentId, days, nowMs),
  ])
  return summary && { ...summary, timeline: hours.map(describeHour) }
}

/**
 * Reads the health of a listed or provisional agent in one statement; undefined when there is none with this number.
 */
export async function readHealthSummary(
  database: Database,
  agentId: number,
  nowMs: number,
): Promise<HealthSummary | undefined> {
  const values = [agentId, nowMs - 7 * 24 * HOUR_MS, nowMs]
  const [row] = await database.query<HealthColumns>('read-health-summary', READ_SUMMARY, values)
  if (row === undefined) return undefined
  const [p50, p95] = row.latencies_ms ?? []
  return {
    agent_id: agentId,
    ...describeAvailability(row),
    consecutive_failures: row.failures ?? 0,
    checked_at: toSeconds(row.checked_at),
    last_ok_at: toSeconds(row.last_ok_at),
    last_failure: row.last_reason,
    watched_since: toSeconds(row.watched_since),
    uptime_7d: uptimeOf({ ok: Number(row.ok_7d), failed: Number(row.failed_7d) }) ?? null,
    uptime_30d: uptimeOf({ ok: row.ok_30d ?? 0, failed: row.failed_30d ?? 0 }) ?? null,
    latency_p50_ms: p50 ?? null,
    latency_p95_ms: p95 ?? null,
  }
}

interface HealthColumns {
  readonly failures: number | null
  readonly checked_at: Date | null
  readonly last_ok_at: Date | null
  readonly last_reason: CheckReason | null
  readonly watched_since: Date | null
  /** PostgreSQL returns sums as strings. */
  readonly ok_7d: string
  readonly failed_7d: string
  readonly ok_30d: number | null
  readonly failed_30d: number | null
  /**
   * The median and the 95th percentile of the latencies of the checks that passed in the last 7 days. Null when no
   * check passed.
   */
  readonly latencies_ms: readonly number[] | null
}

/** The sums of 30 days are stored in `agent_health`; those of 7 days are computed from the hourly rows. */
const READ_SUMMARY = `
  with hours as materialized (
    select ok, failed, latencies_ms from (${HOURS}) as checked_hours)
  select h.failures, h.checked_at, h.last_ok_at, h.last_reason, h.watched_since,
    h.month_ok + h.day_ok as ok_30d, h.month_failed + h.day_failed as failed_30d, counts.*, latency.*
  from agents a left join agent_health h using (agent_id)
  cross join (
    select coalesce(sum(ok), 0) as ok_7d, coalesce(sum(failed), 0) as failed_7d from hours) as counts
  cross join (
    select percentile_disc(array[0.5, 0.95]) within group (order by one) as latencies_ms
    from hours, unnest(latencies_ms) as one) as latency
  where a.agent_id = $1 and a.standing in ('listed', 'provisional')`

/** The availability of an agent, from its row in `agent_health`; the fields are null when it has no row. */
export function describeAvailability({
  failures,
  checked_at: checkedAt,
}: Pick<HealthColumns, 'failures' | 'checked_at'>): Pick<AgentHealth, 'availability' | 'warned'> {
  const availability = availabilityWord(
    failures === null ? undefined : { failures, isChecked: checkedAt !== null },
  )
  return { availability, warned: availability === 'online' && availabilityOf(failures ?? 0).isWarned }
}

function toSeconds(date: Date | null): number | null {
  return date === null ? null : Math.floor(date.getTime() / 1_000)
}

function describeHour(hour: CheckedHour): AgentHealth['timeline'][number] {
  return {
    at: hour.hourMs / 1_000,
    ok: hour.ok,
    failed: hour.failed,
    latency_min_ms: hour.latencyMs?.min ?? null,
    latency_mean_ms: hour.latencyMs?.mean ?? null,
    latency_max_ms: hour.latencyMs?.max ?? null,
  }
}
