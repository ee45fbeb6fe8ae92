import type pg from 'pg'
import type { AvailabilityTransition } from '../agents/availability.ts'

/** A notice to the owner of an agent. */
export interface Announcement {
  readonly agentId: number
  readonly event: AvailabilityTransition | 'not_payable'
  /** Consecutive failed checks, including the newest. */
  readonly failures: number
  /** Why callers are no longer sent to pay the agent. */
  readonly reason?: string
  readonly atMs: number
}

/**
 * Adds notices to the outbox in the transaction of the events they report, so that each is sent if and only if its
 * event is committed. Skips agents without a webhook, and those whose owner has changed since the webhook was set.
 */
export async function announce(client: pg.PoolClient, announcements: readonly Announcement[]): Promise<void> {
  await client.query(
    `insert into webhook_deliveries (delivery_id, agent_id, body, created_at, due_at)
     select delivery_id, a.agent_id,
       json_strip_nulls(json_build_object('delivery_id', delivery_id, 'event', 'agent.' || n.event,
         'agent_id', a.agent_id, 'name', a.name, 'consecutive_failures', n.failures, 'is_offline', a.is_offline,
         'badge', a.badge_shown, 'at', floor(n.at_ms / 1000)::bigint, 'reason', n.reason))::text,
       to_timestamp(n.at_ms / 1000), now()
     from (select *, gen_random_uuid() as delivery_id
           from unnest($1::bigint[], $2::text[], $3::integer[], $4::float8[], $5::text[])
             as told (agent_id, event, failures, at_ms, reason)) as n
       join agents a using (agent_id)
       join agent_webhooks w on w.agent_id = a.agent_id and w.owner = a.owner`,
    [
      announcements.map(one => one.agentId),
      announcements.map(one => one.event),
      announcements.map(one => one.failures),
      announcements.map(one => one.atMs),
      announcements.map(one => one.reason ?? null),
    ],
  )
}
