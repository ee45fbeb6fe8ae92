import type { Database } from '@farebox/server/internal/postgres/connect'
import type { Badge } from '../agents/agent-row.ts'

/** An agent that this worker has leased for a check. */
export interface CheckLease {
  readonly agentId: number
  /** Identifies this lease: a result is written only while the row still has this fence. */
  readonly fence: string
  /** When the lease was taken, by the database's clock. All written times are derived from it. */
  readonly takenAtMs: number
  readonly dueMs: number
  /** When the next planned check is due; undefined when this check is itself the planned one. */
  readonly plannedMs: number | undefined
  /** How long after its due time the check was leased. */
  readonly lateMs: number
  /** Consecutive failures before this check. */
  readonly failures: number
  /** Undefined when the agent has no endpoint; the check then fails. */
  readonly endpoint: string | undefined
  /** The owner in whose name it is called. */
  readonly calledFor: string | undefined
  readonly name: string
  /** Whether the agent has ever passed a check. */
  readonly hasPassed: boolean
  readonly isOffline: boolean
  readonly badge: Badge
  readonly badgeShown: Badge
}

/** The duration of a lease; it is renewed while the check is running. */
export const CHECK_LEASE_MS = 6_000

/**
 * The possible batch sizes. Each is written into its own statement, because PostgreSQL plans an unknown limit as a read
 * of whole tables.
 */
const SIZES = [500, 200, 50, 10, 1] as const

/** Options of {@link leaseChecks} besides the batch size. */
export interface LeaseSpan {
  /** Virtual time, for tests. Otherwise the database's clock is used for all workers (HLT-08). */
  readonly atMs?: number | undefined
  /**
   * Rows that were due before this time are skipped. Leasing a row leaves a dead entry in the index until the database
   * is vacuumed, which is impossible while a backup is running. Without this limit, each lease would read all those
   * entries.
   */
  readonly dueFromMs?: number | undefined
}

/** The largest batch size that fits into `room` free slots. */
export function checksTakenAtOnce(room: number): number {
  return SIZES.find(size => size <= room) ?? 0
}

/**
 * Leases agents whose check is due, the most overdue first. It never returns more than `atMost`, and skips rows that
 * another worker is leasing.
 */
export async function leaseChecks(
  database: Database,
  atMost: number,
  { atMs, dueFromMs }: LeaseSpan = {},
): Promise<readonly CheckLease[]> {
  const size = checksTakenAtOnce(atMost)
  if (size === 0) return []
  const rows = await database.query<LeaseColumns>(`lease-checks-${size}`, leaseStatement(size), [
    atMs ?? null,
    CHECK_LEASE_MS,
    dueFromMs ?? null,
  ])
  return rows.map(toLease)
}

/**
 * A column that turns off the synchronous commit for the transaction of its statement. If the database crashes and
 * loses the last moments, the checks are repeated.
 */
export const WITHOUT_FLUSH = `set_config('synchronous_commit', 'off', true) as without_flush`

/** Extends these leases. Leases that another worker has taken over are not changed. */
export async function renewChecks(
  database: Database,
  leases: readonly CheckLease[],
  atMs?: number,
): Promise<void> {
  if (leases.length === 0) return
  const [agentIds, fences] = [leases.map(({ agentId }) => agentId), leases.map(({ fence }) => fence)]
  await database.query('renew-checks', RENEW, [atMs ?? null, CHECK_LEASE_MS, agentIds, fences])
}

/** Rows that another statement is writing are skipped: two statements waiting for each other's rows would deadlock. */
const RENEW = `
  with moment as materialized (
    select coalesce(to_timestamp($1::float8 / 1000), clock_timestamp()) as at, ${WITHOUT_FLUSH}
  ), held as materialized (
    select h.agent_id from agent_health h
    join unnest($3::bigint[], $4::bigint[]) as l (agent_id, fence) on l.agent_id = h.agent_id and l.fence = h.fence
    for update of h skip locked
  )
  update agent_health h set due_at = (select at from moment) + $2::float8 * interval '1 millisecond'
  from held where h.agent_id = held.agent_id`

interface LeaseColumns {
  readonly agent_id: string
  readonly fence: string
  readonly taken_at_ms: number
  readonly due_ms: number
  readonly planned_ms: number | null
  readonly failures: number
  readonly endpoint: string | null
  readonly called_for: string | null
  readonly name: string
  readonly has_passed: boolean
  readonly is_offline: boolean
  readonly badge: Badge
  readonly badge_shown: Badge
}

function leaseStatement(size: number): string {
  return `
    with moment as materialized (
      select coalesce(to_timestamp($1::float8 / 1000), clock_timestamp()) as at,
        coalesce(to_timestamp($3::float8 / 1000), '-infinity') as due_from, ${WITHOUT_FLUSH}
    ), due as materialized (
      select agent_id, due_at, planned_at from agent_health
      where due_at <= (select at from moment) and due_at >= (select due_from from moment)
      order by due_at limit ${size} for update skip locked
    )
    update agent_health h
    set due_at = (select at from moment) + $2::float8 * interval '1 millisecond', fence = h.fence + 1
    from due, agents a
    where h.agent_id = due.agent_id and a.agent_id = due.agent_id
    returning h.agent_id, h.fence, h.failures, h.last_ok_at is not null as has_passed,
      (extract(epoch from (select at from moment)) * 1000)::float8 as taken_at_ms,
      (extract(epoch from due.due_at) * 1000)::float8 as due_ms,
      (extract(epoch from due.planned_at) * 1000)::float8 as planned_ms,
      a.endpoint, case when a.endpoint_by = a.owner then a.owner end as called_for, a.name, a.is_offline, a.badge, a.badge_shown`
}

function toLease(row: LeaseColumns): CheckLease {
  return {
    agentId: Number(row.agent_id),
    fence: row.fence,
    takenAtMs: row.taken_at_ms,
    dueMs: row.due_ms,
    plannedMs: row.planned_ms ?? undefined,
    lateMs: row.taken_at_ms - row.due_ms,
    failures: row.failures,
    endpoint: row.endpoint ?? undefined,
    calledFor: row.called_for ?? undefined,
    name: row.name,
    hasPassed: row.has_passed,
    isOffline: row.is_offline,
    badge: row.badge,
    badgeShown: row.badge_shown,
  }
}
