import type { Database } from '@farebox/server/src/postgres/connect'

/** Many agents, all listed and watched. */
export interface ManyAgents {
  readonly count: number
  /** SQL for the endpoint of agent `id`. */
  readonly endpoint: string
  readonly badge?: string
  /** When the first check is due; by default in the distant past. */
  readonly dueAtMs?: number
}

/** Inserts agents 1 to `count`, named "Word counter", without a declaration, and schedules their checks. */
export async function watchMany(database: Database, many: ManyAgents): Promise<void> {
  await database.pool.query(
    `insert into agents (agent_id, endpoint_on_chain, endpoint, owner, stake_wei, registered_block,
       registered_transaction, registered_at, standing, standing_since, name, badge, badge_shown)
     select id, e, e, '0x' || lpad(to_hex(id), 40, '0'), 1000000000000000, 1, '0x' || lpad(to_hex(id), 64, '0'),
       now(), 'listed', now(), 'Word counter', $2, $2
     from generate_series(1, $1::integer) as id, lateral (select ${many.endpoint} as e) as endpoint`,
    [many.count, many.badge ?? 'silver'],
  )
  const due = many.dueAtMs ?? 0
  await database.pool.query(
    `insert into agent_health (agent_id, watched_since, due_at)
     select agent_id, to_timestamp($1::float8 / 1000), to_timestamp($1::float8 / 1000) from agents`,
    [due],
  )
  await database.pool.query(
    `insert into agent_badges (agent_id, due_at) select agent_id, 'infinity' from agents`,
  )
}
