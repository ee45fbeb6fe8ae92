import pg from 'pg'

/** How many, and where. */
export interface WatchedAgents {
  readonly connectionString: string
  readonly schema: string
  readonly agents: number
  readonly tell: (line: string) => void
}

/** Puts in listed agents 1 to `agents`, each of a host of its own, all due for a check. */
export async function fillWatchedAgents(wanted: WatchedAgents): Promise<void> {
  const startedMs = performance.now()
  await withClient(wanted.connectionString, async client => {
    await client.query(`set search_path = ${wanted.schema}, public`)
    await client.query('set synchronous_commit = off')
    await client.query(
      `insert into agents (agent_id, endpoint_on_chain, endpoint, owner, stake_wei, registered_block,
         registered_transaction, registered_at, standing, standing_since, name, badge, badge_shown)
       select id, e, e, '0x' || lpad(to_hex(id), 40, '0'), 1000000000000000, 1, '0x' || lpad(to_hex(id), 64, '0'),
         now(), 'listed', now(), 'Word counter', 'silver', 'silver'
       from generate_series(1, $1::integer) as id, lateral (select 'https://agent-' || id || '.example' as e) as endpoint`,
      [wanted.agents],
    )
    await client.query(
      `insert into agent_health (agent_id, watched_since, due_at, last_ok_at, hour, hour_ok, hour_latencies_ms)
       select agent_id, now(), 'epoch'::timestamptz + random() * interval '10 minutes', 'epoch', 'epoch', 0, '{}' from agents`,
    )
    await client.query('analyze agents, agent_health')
  })
  wanted.tell(`${wanted.agents} agents put in, ${((performance.now() - startedMs) / 1_000).toFixed(0)} s`)
}

/** Drops a bench's schema. */
export async function dropSchema(connectionString: string, schema: string): Promise<void> {
  await withClient(connectionString, async client => {
    await client.query(`drop schema if exists ${schema} cascade`)
  })
}

async function withClient(
  connectionString: string,
  use: (client: pg.Client) => Promise<void>,
): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    await use(client)
  } finally {
    await client.end()
  }
}
