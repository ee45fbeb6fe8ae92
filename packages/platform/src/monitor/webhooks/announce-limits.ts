import type { OwnersNearLimit } from '@farebox/payments/x402/facilitator-api'
import type { Database } from '@farebox/server/internal/postgres/connect'

const DAY_MS = 86_400_000

/**
 * Adds a notice to the outbox for each owner who has used four fifths of the settlements of this UTC day, and another
 * one when they are used up. Each notice is added once for a day and limit, in one statement, whichever process runs
 * it. It is sent once to each webhook URL of the owner's agents.
 *
 * @returns the number of notices added
 */
export async function announceLimits(
  database: Database,
  { owners }: Pick<OwnersNearLimit, 'owners'>,
  nowMs: number,
): Promise<number> {
  if (owners.length === 0) return 0
  const dayMs = nowMs - (nowMs % DAY_MS)
  const written = await database.query('announce-limits', ANNOUNCE, [
    owners.map(({ owner }) => owner),
    owners.map(({ used }) => used),
    owners.map(({ limit }) => limit),
    owners.map(({ exhaustedAt }) => exhaustedAt),
    new Date(nowMs),
    new Date(dayMs + DAY_MS),
  ])
  return written.length
}

const ANNOUNCE = `
  with seen as (
    select *, (case when used >= daily_limit then 2 else 1 end)::smallint as level,
      ($5::timestamptz at time zone 'utc')::date as day
    from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[]) as n (owner, used, daily_limit, expected_at)
  ), told as (
    update secret_owners s set noticed_day = n.day, noticed_limit = n.daily_limit, noticed_level = n.level
    from seen n
    where s.owner = n.owner
      and (s.noticed_day is distinct from n.day or s.noticed_limit < n.daily_limit or s.noticed_level < n.level)
    returning n.*
  ), receivers as (
    select distinct on (t.owner, w.url) t.*, gen_random_uuid() as delivery_id, a.agent_id, a.name, a.is_offline,
      a.badge_shown
    from told t join agents a on a.owner = t.owner join agent_webhooks w on w.agent_id = a.agent_id and w.owner = a.owner
    order by t.owner, w.url, a.agent_id
  )
  insert into webhook_deliveries (delivery_id, agent_id, body, created_at, due_at)
  select delivery_id, agent_id,
    json_build_object('delivery_id', delivery_id,
      'event', case level when 2 then 'owner.limit_reached' else 'owner.limit_near' end, 'agent_id', agent_id,
      'name', name, 'consecutive_failures', 0, 'is_offline', is_offline, 'badge', badge_shown,
      'at', floor(extract(epoch from $5::timestamptz))::bigint,
      'settlements', json_build_object('used', used, 'limit', daily_limit,
        'expected_at', case level when 1 then expected_at end,
        'resets_at', extract(epoch from $6::timestamptz)::bigint))::text,
    $5, now()
  from receivers returning delivery_id`
