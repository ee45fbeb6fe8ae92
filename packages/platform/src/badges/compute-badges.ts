import { describeError } from '@farebox/server/log'
import type { PlatformParts } from '../platform-parts.ts'
import { recomputeBadge } from './change-badge.ts'

const BATCH = 20

/** The lease of a worker for a batch; after it, another worker computes the batch. */
const LEASE_MINUTES = 5

/**
 * Computes one batch of due badges and schedules each for about a day later; resolves to the number of badges. Any number
 * of workers can run this in parallel. Rejects when the database fails.
 */
export async function computeDueBadges(parts: PlatformParts): Promise<number> {
  const rows = await parts.database.query<{ agent_id: string; leased_until: string }>(
    'lease-badges',
    `update agent_badges b set due_at = now() + interval '${LEASE_MINUTES} minutes'
     from (select agent_id from agent_badges where due_at <= now()
           order by due_at limit ${BATCH} for update skip locked) as due
     where b.agent_id = due.agent_id returning b.agent_id, b.due_at::text as leased_until`,
  )
  for (const { agent_id: agentId, leased_until: leasedUntil } of rows) {
    await recomputeBadge(parts, Number(agentId)).catch((error: unknown) => {
      parts.log.error('could not compute a badge', { agent: agentId, error: describeError(error) })
    })
    // The condition on `due_at` keeps an earlier time that was set meanwhile. The random part spreads badges over the day.
    await parts.database.query(
      'plan-badge',
      `update agent_badges set due_at = now() + interval '23 hours' + random() * interval '2 hours'
       where agent_id = $1 and due_at = $2::timestamptz`,
      [agentId, leasedUntil],
    )
  }
  return rows.length
}
