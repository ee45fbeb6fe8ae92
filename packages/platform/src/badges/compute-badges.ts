import { describeError } from '@farebox/server/log'
import type { PlatformParts } from '../platform-parts.ts'
import { recomputeBadge } from './change-badge.ts'

const BATCH = 20

/** How long a worker has for a batch; afterwards somebody else computes it. */
const LEASE_MINUTES = 5

/**
 * Computes badges that are due, each again a day later; resolves to how many there were. Any number of workers share
 * them. Rejects where the database does.
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
      parts.log.error('badge not computed', { agent: agentId, error: describeError(error) })
    })
    // Whoever wanted it sooner meanwhile keeps his wish. Spread, so that a day's badges do not come together for ever.
    await parts.database.query(
      'plan-badge',
      `update agent_badges set due_at = now() + interval '23 hours' + random() * interval '2 hours'
       where agent_id = $1 and due_at = $2::timestamptz`,
      [agentId, leasedUntil],
    )
  }
  return rows.length
}
