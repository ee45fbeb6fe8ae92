import type pg from 'pg'
import { shownBadge } from '../agents/badge.ts'
import type { PlatformParts } from '../platform-parts.ts'
import type { Badge } from '../agents/agent-row.ts'
import { indexAgent } from '../listing/index-agent.ts'
import { availabilityOf, type AvailabilityTransition } from '../agents/availability.ts'
import { announce, type Announcement } from '../owners/announce.ts'
import { writeChecksIn, type CheckVerdict } from './write-checks.ts'

/** A check that changes the displayed availability or badge of an agent. */
export interface ChangingCheck {
  readonly verdict: CheckVerdict
  /** Undefined when no notice is due and only the `agents` row has to be corrected. */
  readonly transition: AvailabilityTransition | undefined
}

/**
 * Whether the `agents` row has to be updated. This is also the case when the row does not match the failure count, for
 * example after an agent was restored or its badge changed.
 */
export function changesHowSeen({ lease, failures }: CheckVerdict): boolean {
  const { isOffline, isWarned } = availabilityOf(failures)
  return lease.isOffline !== isOffline || lease.badgeShown !== shownBadge(lease.badge, isWarned)
}

/**
 * Writes checks, the availability of their agents, the search rows and the notices to the owners, in one transaction.
 * Checks whose lease was taken over by another worker are skipped.
 */
export async function changeAvailability(
  parts: PlatformParts,
  changes: readonly ChangingCheck[],
): Promise<void> {
  const ours = await parts.database.inTransaction(async client => {
    // `agents` is locked before `agent_health` and in the order of the agent numbers, as in every other transaction.
    const badges = await lockAgents(
      client,
      changes.map(change => change.verdict.lease.agentId),
    )
    const written = await writeChecksIn(
      client,
      changes.map(change => change.verdict),
    )
    const ours = changes.filter(change => written.has(change.verdict.lease.agentId))
    for (const agentId of await showChanges(client, ours, badges)) await indexAgent(client, agentId)
    const told = ours.filter(change => change.transition !== undefined)
    await client.query(
      'update agent_badges set due_at = least(due_at, now()) where agent_id = any($1::bigint[])',
      [told.map(change => change.verdict.lease.agentId)],
    )
    await announce(client, told.map(toAnnouncement))
    return ours
  })
  for (const change of ours) tell(parts, change)
}

async function lockAgents(
  client: pg.PoolClient,
  agentIds: readonly number[],
): Promise<ReadonlyMap<number, Badge>> {
  const { rows } = await client.query<{ agent_id: string; badge: Badge }>(
    'select agent_id, badge from agents where agent_id = any($1::bigint[]) order by agent_id for no key update',
    [agentIds],
  )
  return new Map(rows.map(row => [Number(row.agent_id), row.badge]))
}

/** Resolves to the agents whose row has changed. */
async function showChanges(
  client: pg.PoolClient,
  changes: readonly ChangingCheck[],
  badges: ReadonlyMap<number, Badge>,
): Promise<readonly number[]> {
  const seen = changes.map(({ verdict }) => {
    const { isOffline, isWarned } = availabilityOf(verdict.failures)
    const { agentId } = verdict.lease
    return { agentId, isOffline, badgeShown: shownBadge(badges.get(agentId) ?? 'none', isWarned) }
  })
  const { rows } = await client.query<{ agent_id: string }>(
    `update agents a set is_offline = s.is_offline, badge_shown = s.badge_shown
     from unnest($1::bigint[], $2::boolean[], $3::text[]) as s (agent_id, is_offline, badge_shown)
     where a.agent_id = s.agent_id
       and (a.is_offline, a.badge_shown) is distinct from (s.is_offline, s.badge_shown)
     returning a.agent_id`,
    [seen.map(one => one.agentId), seen.map(one => one.isOffline), seen.map(one => one.badgeShown)],
  )
  return rows.map(row => Number(row.agent_id)).sort((one, other) => one - other)
}

function toAnnouncement({ verdict, transition }: ChangingCheck): Announcement {
  const { lease, failures } = verdict
  return { agentId: lease.agentId, event: transition ?? 'back', failures, atMs: lease.takenAtMs }
}

function tell({ log }: PlatformParts, { verdict, transition }: ChangingCheck): void {
  const { lease, failures, outcome } = verdict
  const fields = { agent: lease.agentId, failures }
  const reason = outcome.kind === 'failed' ? outcome.reason : undefined
  if (transition === 'back') log.info('agent is back', fields)
  if (transition === 'warned') log.warn('agent fails its checks', { ...fields, reason })
  if (transition === 'offline') log.warn('agent is offline', { ...fields, reason })
}
