import type pg from 'pg'
import type { Database } from '@farebox/server/internal/postgres/connect'
import { FAILURES_TO_HIDE } from '../agents/availability.ts'
import type { CheckReason } from './ask/check-agent.ts'
import { WITHOUT_FLUSH, type CheckLease } from './lease-checks.ts'

/** The judged result of a check. */
export interface CheckVerdict {
  readonly lease: CheckLease
  /** Consecutive failures after this check. */
  readonly failures: number
  readonly dueMs: number
  readonly outcome:
    | { readonly kind: 'passed'; readonly latencyMs: number }
    | { readonly kind: 'failed'; readonly reason: CheckReason }
    /** The check says nothing about the agent: no slot was free, or the outage is the platform's own. */
    | { readonly kind: 'uncounted' }
}

/** Writes many checks in one statement. Checks whose lease was taken over by another worker are skipped. */
export async function writeChecks(database: Database, verdicts: readonly CheckVerdict[]): Promise<void> {
  if (verdicts.length > 0) {
    await database.query('write-checks', writeStatement(true), toColumns(verdicts))
  }
}

/** Writes checks in the caller's transaction; resolves to the agents whose lease this worker still held. */
export async function writeChecksIn(
  client: pg.PoolClient,
  verdicts: readonly CheckVerdict[],
): Promise<ReadonlySet<number>> {
  const { rows } = await client.query<{ agent_id: string }>(writeStatement(false), [...toColumns(verdicts)])
  return new Set(rows.map(row => Number(row.agent_id)))
}

/**
 * The first check of a new hour copies the previous hour to `agent_hours`, and the first of a new UTC day copies the
 * previous day to `agent_days`. This stores one row for each period instead of one for each check.
 */
const writeStatement = (withoutFlush: boolean): string => `
  with moment as materialized (select ${withoutFlush ? WITHOUT_FLUSH : 'null'}), result as (
    select agent_id, fence, failures, latency_ms, reason, passed, (passed and is_planned) is true as is_ok,
      (not passed and is_planned) is true as is_failed,
      to_timestamp(due_ms / 1000) as due_at, to_timestamp(taken_ms / 1000) as taken_at,
      to_timestamp(floor(taken_ms / 3600000) * 3600) as hour, to_timestamp(floor(taken_ms / 86400000) * 86400) as day
    from unnest($1::bigint[], $2::bigint[], $3::integer[], $4::float8[], $5::float8[], $6::integer[], $7::text[],
      $8::boolean[], $9::boolean[]) as r (agent_id, fence, failures, due_ms, taken_ms, latency_ms, reason, passed, is_planned)
  ), past as (
    insert into agent_hours (agent_id, hour, ok, failed, latencies_ms)
    select h.agent_id, h.hour, h.hour_ok, h.hour_failed, h.hour_latencies_ms
    from result r join agent_health h on h.agent_id = r.agent_id and h.fence = r.fence
    where h.hour < r.hour and h.hour_ok + h.hour_failed > 0
    on conflict do nothing
  ), past_day as (
    insert into agent_days (agent_id, day, ok, failed, offline_seconds)
    select h.agent_id, h.day, h.day_ok, h.day_failed, h.day_offline_seconds +
      case when h.failures < ${FAILURES_TO_HIDE} then 0
        else extract(epoch from h.day + interval '24 hours' - greatest(h.checked_at, h.day))::integer end
    from result r join agent_health h on h.agent_id = r.agent_id and h.fence = r.fence
    where h.day < r.day and h.day_ok + h.day_failed > 0
    on conflict do nothing
  ), month as (
    select h.agent_id, case when h.day > r.day - interval '720 hours' then h.day_ok else 0 end + before.ok as ok,
      case when h.day > r.day - interval '720 hours' then h.day_failed else 0 end + before.failed as failed
    from result r join agent_health h on h.agent_id = r.agent_id and h.fence = r.fence and h.day < r.day
    cross join lateral (
      select coalesce(sum(ok), 0)::integer as ok, coalesce(sum(failed), 0)::integer as failed from agent_days d
      where d.agent_id = h.agent_id and d.day > r.day - interval '720 hours' and d.day <> h.day
    ) as before
  )
  update agent_health h
  set fence = h.fence + 1, due_at = r.due_at, planned_at = null,
    failures = case when r.passed is null then h.failures else r.failures end,
    checked_at = case when r.passed is null then h.checked_at else r.taken_at end,
    last_ok_at = case when r.passed then r.taken_at else h.last_ok_at end,
    last_latency_ms = case when r.passed then r.latency_ms else h.last_latency_ms end,
    last_reason = case when r.passed is null then h.last_reason else r.reason end,
    hour = greatest(h.hour, r.hour),
    hour_ok = case when h.hour < r.hour then 0 else h.hour_ok end + r.is_ok::integer,
    hour_failed = case when h.hour < r.hour then 0 else h.hour_failed end + r.is_failed::integer,
    hour_latencies_ms = case
      when not r.is_ok then case when h.hour < r.hour then '{}' else h.hour_latencies_ms end
      when h.hour < r.hour then array[r.latency_ms]
      else h.hour_latencies_ms[greatest(1, cardinality(h.hour_latencies_ms) - 58):] || r.latency_ms end,
    day = greatest(h.day, r.day),
    day_ok = case when h.day < r.day then 0 else h.day_ok end + r.is_ok::integer,
    day_failed = case when h.day < r.day then 0 else h.day_failed end + r.is_failed::integer,
    day_offline_seconds = case when h.day < r.day then 0 else h.day_offline_seconds end +
      case when r.passed is null or h.failures < ${FAILURES_TO_HIDE} then 0
        else greatest(0, extract(epoch from r.taken_at - greatest(h.checked_at, r.day)))::integer end,
    month_ok = coalesce(month.ok, h.month_ok), month_failed = coalesce(month.failed, h.month_failed)
  from result r left join month on month.agent_id = r.agent_id, moment
  where h.agent_id = r.agent_id and h.fence = r.fence
  returning h.agent_id`

function toColumns(verdicts: readonly CheckVerdict[]): readonly unknown[] {
  const outcomes = verdicts.map(verdict => verdict.outcome)
  return [
    verdicts.map(verdict => verdict.lease.agentId),
    verdicts.map(verdict => verdict.lease.fence),
    verdicts.map(verdict => verdict.failures),
    verdicts.map(verdict => verdict.dueMs),
    verdicts.map(verdict => verdict.lease.takenAtMs),
    outcomes.map(outcome => (outcome.kind === 'passed' ? outcome.latencyMs : null)),
    outcomes.map(outcome => (outcome.kind === 'failed' ? outcome.reason : null)),
    outcomes.map(outcome => (outcome.kind === 'uncounted' ? null : outcome.kind === 'passed')),
    verdicts.map(verdict => verdict.lease.plannedMs === undefined),
  ]
}
