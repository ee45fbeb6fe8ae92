import type { Database } from '@farebox/server/internal/postgres/connect'
import type { Badge } from '../agents/agent-row.ts'

/** An agent that is ours to check, until the lease ends. */
export interface CheckLease {
  readonly agentId: number
  /** What makes the lease ours: a result counts only while it is the newest. */
  readonly fence: string
  /** When it was taken, by the database's clock. Every time that is written down follows from it. */
  readonly takenAtMs: number
  readonly dueMs: number
  /** When the planned check is, where this one is between two of them. */
  readonly plannedMs: number | undefined
  /** How long after it was due. */
  readonly lateMs: number
  /** Consecutive failures so far. */
  readonly failures: number
  /** Undefined: nowhere to call, which fails. */
  readonly endpoint: string | undefined
  readonly name: string
  /** Whether it ever passed. */
  readonly hasPassed: boolean
  readonly isOffline: boolean
  readonly badge: Badge
  readonly badgeShown: Badge
}

/** For so long a worker has a check to itself; it is renewed while the check is under way. */
export const CHECK_LEASE_MS = 6_000

/** How many are taken at most. Written into the statement: planned for an unknown number it would read whole tables. */
const SIZES = [500, 200, 50, 10, 1] as const

/** What a lease may be asked for besides a number. */
export interface LeaseSpan {
  /** Virtual time, for tests; otherwise the database's clock decides for all workers (HLT-08). */
  readonly atMs?: number | undefined
  /**
   * Nothing that was due before this is looked for. What is leased leaves entries behind in the index until the database
   * has tidied up, which it cannot while somebody makes a backup: who always looks from the beginning reads them all.
   */
  readonly dueFromMs?: number | undefined
}

/** How many are taken at once where there is room for so many more. */
export function checksTakenAtOnce(room: number): number {
  return SIZES.find(size => size <= room) ?? 0
}

/** Takes agents that are due, the most overdue first: never more than `atMost`, none that somebody else has just taken. */
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
 * A column that has the statement's transaction not wait for the disk: what a broken database forgets of the last moment
 * is checked again.
 */
export const WITHOUT_FLUSH = `set_config('synchronous_commit', 'off', true) as without_flush`

/** Keeps checks a while longer, but for those that somebody else has taken. */
export async function renewChecks(
  database: Database,
  leases: readonly CheckLease[],
  atMs?: number,
): Promise<void> {
  if (leases.length === 0) return
  const [agentIds, fences] = [leases.map(({ agentId }) => agentId), leases.map(({ fence }) => fence)]
  await database.query('renew-checks', RENEW, [atMs ?? null, CHECK_LEASE_MS, agentIds, fences])
}

/** What is just being written is skipped: two statements that wait for one another's rows would be stopped. */
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
      a.endpoint, a.name, a.is_offline, a.badge, a.badge_shown`
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
    name: row.name,
    hasPassed: row.has_passed,
    isOffline: row.is_offline,
    badge: row.badge,
    badgeShown: row.badge_shown,
  }
}
