import { agentCategories } from '@farebox/platform-api/internal/listing/agent-categories'
import pg from 'pg'
import { describeEntry } from '@farebox/platform/src/listing/describe-entry'
import type { OwnSchema } from '../stage/open-database.ts'
import { createAgentMaker, type MadeUpAgent } from './made-up-agents.ts'

const BATCH = 2_000
/** The number of agents generated one by one; more are copies of these under other numbers. */
const DIFFERENT_AGENTS = 250_000

/**
 * Fills the empty tables of a platform with agents as search stores them: by its own code, in bulk, indexes last. Runs
 * as an administrator of the database, without checks of references.
 */
export async function fillAgents(
  { url, schema }: OwnSchema,
  agents: number,
  vocabulary: readonly string[],
  tell: (line: string) => void,
): Promise<void> {
  const settings = `search_path=${schema},public synchronous_commit=off session_replication_role=replica maintenance_work_mem=1GB`
  const pool = new pg.Pool({
    connectionString: url,
    max: 3,
    options: settings.replaceAll(/\S+/g, setting => `-c ${setting}`),
  })
  try {
    const indexes = await dropIndexes(pool)
    const different = Math.min(agents, DIFFERENT_AGENTS)
    await makeAgents(pool, different, vocabulary, tell)
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
  agents: number,
  vocabulary: readonly string[],
  tell: (line: string) => void,
): Promise<void> {
  const makeAgent = createAgentMaker(vocabulary, 1)
  const saving = new Set<Promise<void>>()
  for (let first = 1; first <= agents; first += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, agents - first + 1) }, (_, index) =>
      rowsOf(makeAgent(), first + index),
    )
    const saved = saveBatch(pool, batch).finally(() => saving.delete(saved))
    saving.add(saved)
    if (saving.size >= 3) await Promise.race(saving)
    if ((first - 1) % 50_000 === 0) tell(`${(first - 1).toLocaleString('en-US')} agents made`)
  }
  await Promise.all(saving)
}

type AgentRows = ReturnType<typeof rowsOf>

/** The columns of an agent, by table. */
function rowsOf(made: MadeUpAgent, agentId: number) {
  const { declaration, badge, isProvisional, jobsDone } = made
  const { name, description } = declaration
  // Half of them have one.
  const category = agentCategories[agentId % (2 * agentCategories.length)]
  const entry = describeEntry({ ...made, agentId, name, description, badgeShown: badge, category })
  const position = String(entry.position)
  return {
    agent: {
      agent_id: agentId,
      owner: `0x${agentId.toString(16).padStart(40, 'a')}`,
      standing: isProvisional ? 'provisional' : 'listed',
      declaration,
      name,
      description,
      badge,
    },
    entry: {
      agent_id: agentId,
      position,
      name_key: entry.nameKey,
      name_words: entry.nameWords.join(' '),
      capability_words: entry.capabilityWords.join(' '),
      all_words: entry.allWords.join(' '),
      tags: entry.tags,
      is_provisional: isProvisional,
      standing: entry.standing,
      jobs_done: jobsDone,
      min_price_atomic: String(entry.minPriceAtomic),
      max_price_atomic: String(entry.maxPriceAtomic),
      tag_hashes: entry.tagHashes ?? null,
    },
    offers: entry.capabilities.map(({ key, name: capability, ordinal, priceAtomic, tags, takes, gives }) => ({
      agent_id: agentId,
      capability_key: key,
      capability,
      ordinal,
      price_atomic: String(priceAtomic),
      tags,
      position,
      takes: takes.fields,
      takes_count: takes.count,
      gives: gives.fields,
      gives_count: gives.count,
    })),
  }
}

/** A statement for each table. */
async function saveBatch(pool: pg.Pool, batch: readonly AgentRows[]): Promise<void> {
  const save = async (sql: string, rows: readonly object[]): Promise<void> =>
    void (await pool.query(sql, [JSON.stringify(rows)]))
  await save(
    SAVE_AGENTS,
    batch.map(({ agent }) => agent),
  )
  await save(
    'insert into search_entries select * from jsonb_populate_recordset(null::search_entries, $1::jsonb)',
    batch.map(({ entry }) => entry),
  )
  await save(
    'insert into search_capabilities select * from jsonb_populate_recordset(null::search_capabilities, $1::jsonb)',
    batch.flatMap(({ offers }) => offers),
  )
}

const SAVE_AGENTS = `
  insert into agents (agent_id, endpoint_on_chain, endpoint, owner, stake_wei, registered_block, registered_transaction,
    registered_at, standing, standing_since, declaration, declaration_version, name, description, wallet, proven_wallet,
    refreshed_at, badge, badge_shown)
  select agent_id, e, e, owner, 1000000000000000, 1, '0x00', now(), standing, now(), declaration, 1, name, description,
    owner, owner, now(), badge, badge
  from jsonb_populate_recordset(null::agents, $1::jsonb), lateral (select 'https://agent-' || agent_id || '.example' as e) as made`

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

/** A thousand agents have a month of checks: the history of the others does not affect a page. */
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

/**
 * Drops the indexes of the search's tables, except their primary keys; returns the statements that create them again.
 */
async function dropIndexes(pool: pg.Pool): Promise<readonly string[]> {
  const { rows } = await pool.query<{ name: string; definition: string }>(
    `select indexname as name, indexdef as definition from pg_indexes
     where schemaname = current_schema() and tablename = any($1) and indexname not like '%_pkey'`,
    [TABLES.filter(table => table.startsWith('search'))],
  )
  for (const { name } of rows) await pool.query(`drop index ${name}`)
  return rows.map(({ definition }) => definition)
}
