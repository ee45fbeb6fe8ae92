import type pg from 'pg'
import { shownBadge } from '../agents/badge.ts'
import type { PlatformParts } from '../platform-parts.ts'
import type { Badge } from '../agents/agent-row.ts'
import { indexAgent } from '../listing/index-agent.ts'
import { availabilityOf, type AvailabilityTransition } from '../agents/availability.ts'
import { announce, type Announcement } from '../owners/announce.ts'
import { writeChecksIn, type CheckVerdict } from './write-checks.ts'

/** A check that changes how an agent is seen. */
export interface ChangingCheck {
  readonly verdict: CheckVerdict
  /** Undefined: nothing to tell, the agents row is only not as it should be. */
  readonly transition: AvailabilityTransition | undefined
}

/**
 * Whether the agents row is to be written. It is, too, where it does not show what the count says: an agent that was put
 * back, or whose badge changed.
 */
export function changesHowSeen({ lease, failures }: CheckVerdict): boolean {
  const { isOffline, isWarned } = availabilityOf(failures)
  return lease.isOffline !== isOffline || lease.badgeShown !== shownBadge(lease.badge, isWarned)
}

/**
 * Writes checks, how their agents are seen, the search's rows and the owners' notices, all in one transaction. Whoever's
 * lease was taken over meanwhile is passed by.
 */
export async function changeAvailability(
  parts: PlatformParts,
  changes: readonly ChangingCheck[],
): Promise<void> {
  const ours = await parts.database.inTransaction(async client => {
    // Agents before agent_health, as everybody locks them, and in the order of their numbers.
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

/** Resolves to the agents whose row was not yet so. */
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
