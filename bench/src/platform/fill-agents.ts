import pg from 'pg'
import { describeEntry } from '@farebox/platform/src/listing/describe-entry'
import { createAgentMaker } from './made-up-agents.ts'
import { saveAgents, type DescribedAgent } from './save-agents.ts'

const BATCH = 2_000
/** So many are made one by one; more are copies of these under other numbers. */
const DIFFERENT_AGENTS = 250_000

/**
 * Fills the empty tables of a platform with agents as search keeps them: by its own code, many at once, indexes last. As
 * an administrator of the database, whom it lets off the checks of references.
 */
export async function fillAgents(options: {
  readonly connectionString: string
  readonly schema: string
  readonly agents: number
  readonly vocabulary: readonly string[]
  readonly tell: (line: string) => void
}): Promise<void> {
  const { connectionString, schema, agents, vocabulary, tell } = options
  const settings = `search_path=${schema},public synchronous_commit=off session_replication_role=replica maintenance_work_mem=1GB`
  const pool = new pg.Pool({
    connectionString,
    max: 3,
    options: settings
      .split(' ')
      .map(setting => `-c ${setting}`)
      .join(' '),
  })
  try {
    const indexes = await dropIndexes(pool)
    const different = Math.min(agents, DIFFERENT_AGENTS)
    await makeAgents(pool, { agents: different, vocabulary, tell })
    tell('copies, and what else belongs to an agent')
    await pool.query(
      COPY_AGENTS.replaceAll(':different', String(different)).replaceAll(':agents', String(agents)),
    )
    await pool.query(FILL_THE_REST)
    for (const index of indexes) {
      tell(index.slice(0, 80))
      await pool.query(index)
    }
    for (const table of TABLES) await pool.query(`vacuum analyze ${table}`)
  } finally {
    await pool.end()
  }
}

const TABLES =
  'search_entries search_capabilities search_words agents agent_declarations agent_health agent_hours agent_days'.split(
    ' ',
  )

async function makeAgents(
  pool: pg.Pool,
  {
    agents,
    vocabulary,
    tell,
  }: {
    readonly agents: number
    readonly vocabulary: readonly string[]
    readonly tell: (line: string) => void
  },
): Promise<void> {
  const makeAgent = createAgentMaker(vocabulary, 1)
  const saving = new Set<Promise<void>>()
  for (let first = 1; first <= agents; first += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, agents - first + 1) }, (_, index): DescribedAgent => {
      const agentId = first + index
      const agent = makeAgent()
      const { name, description } = agent.declaration
      return {
        agentId,
        agent,
        entry: describeEntry({ ...agent, agentId, name, description, badgeShown: agent.badge }),
      }
    })
    const saved = saveAgents(pool, batch).finally(() => saving.delete(saved))
    saving.add(saved)
    if (saving.size >= 3) await Promise.race(saving)
    if ((first - 1) % 50_000 === 0) tell(`${(first - 1).toLocaleString('en-US')} agents made`)
  }
  await Promise.all(saving)
}

const COPY_AGENTS = `
  create temp table copies on commit drop as
    select id as agent_id, (id - 1) % :different + 1 as original, (id * 2654435761) % 4294967296 as position
    from generate_series(:different + 1, :agents::bigint) as id;
  insert into agents (agent_id, endpoint_on_chain, endpoint, owner, stake_wei, registered_block, registered_transaction,
      registered_at, standing, standing_since, declaration, declaration_version, name, description, wallet, proven_wallet,
      refreshed_at, badge, badge_shown)
    select c.agent_id, a.endpoint_on_chain || c.agent_id, a.endpoint || c.agent_id, owner, stake_wei, registered_block,
      registered_transaction, registered_at, standing, standing_since, declaration, declaration_version, name, description,
      wallet, proven_wallet, refreshed_at, badge, badge_shown
    from copies c join agents a on a.agent_id = c.original;
  insert into search_entries
    select c.agent_id, c.position, name_key, name_words, capability_words, all_words, tags, is_provisional, standing,
      jobs_done, min_price_atomic, max_price_atomic, tag_hashes
    from copies c join search_entries e on e.agent_id = c.original;
  insert into search_capabilities
    select c.agent_id, capability_key, capability, ordinal, price_atomic, tags, c.position, takes, takes_count, gives,
      gives_count
    from copies c join search_capabilities o on o.agent_id = c.original`

/** A thousand agents have been watched for a month: what the others' history is does not matter to a page. */
const FILL_THE_REST = `
  insert into search_words select word from ts_stat('select all_words from search_entries tablesample system (20)')
    where length(word) > 3;
  insert into agent_declarations select agent_id, 1, now(), declaration, 'first', '[]' from agents;
  insert into agent_health (agent_id, watched_since, due_at, checked_at) select agent_id, now(), now(), now() from agents;
  insert into agent_days
    select agent_id, date_trunc('day', now()) - day * interval '24 hours', 144, 0, 0
    from generate_series(1, 1000) as agent_id, generate_series(1, 89) as day;
  insert into agent_hours
    select agent_id, date_trunc('hour', now()) - hour * interval '1 hour', 6, 0, array[20, 30, 25, 40, 22, 31]
    from generate_series(1, 1000) as agent_id, generate_series(1, 720) as hour`

/** Drops the indexes of the search's tables, their primary keys aside; returns how to make them again. */
async function dropIndexes(pool: pg.Pool): Promise<readonly string[]> {
  const { rows } = await pool.query<{ name: string; definition: string }>(
    `select indexname as name, indexdef as definition from pg_indexes
     where schemaname = current_schema() and tablename = any($1) and indexname not like '%_pkey'`,
    [TABLES.filter(table => table.startsWith('search'))],
  )
  for (const { name } of rows) await pool.query(`drop index ${name}`)
  return rows.map(({ definition }) => definition)
}
