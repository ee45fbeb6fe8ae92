import type { Entry } from '@farebox/platform/src/listing/describe-entry'
import type pg from 'pg'
import type { MadeUpAgent } from './made-up-agents.ts'

/** An agent, and what search keeps of it. */
export interface DescribedAgent {
  readonly agentId: number
  readonly agent: MadeUpAgent
  readonly entry: Entry
}

/** Saves many agents and their entries, a statement for each table. */
export async function saveAgents(pool: pg.Pool, batch: readonly DescribedAgent[]): Promise<void> {
  await insert(
    pool,
    SAVE_AGENTS,
    batch.map(({ agentId, agent: { declaration, badge, isProvisional } }) => ({
      agentId,
      standing: isProvisional ? 'provisional' : 'listed',
      declaration: JSON.stringify(declaration),
      name: declaration.name,
      description: declaration.description,
      badge,
      owner: `0x${agentId.toString(16).padStart(40, 'a')}`,
    })),
  )
  await insert(
    pool,
    SAVE_ENTRIES,
    batch.map(({ agentId, agent, entry }) => ({
      agentId,
      position: entry.position,
      nameKey: entry.nameKey,
      nameWords: entry.nameWords.join(' '),
      capabilityWords: entry.capabilityWords.join(' '),
      allWords: entry.allWords.join(' '),
      tags: entry.tags.join(' '),
      isProvisional: agent.isProvisional,
      standing: entry.standing,
      jobsDone: agent.jobsDone,
      minPrice: entry.minPriceAtomic,
      maxPrice: entry.maxPriceAtomic,
      tagHashes: `{${(entry.tagHashes ?? []).join(',')}}`,
    })),
  )
  const offers = batch.flatMap(({ agentId, entry: { capabilities, position } }) =>
    capabilities.map(({ tags, takes, gives, ...offer }) => ({
      agentId,
      ...offer,
      tags: tags.join(' '),
      position,
      takes: JSON.stringify(takes.fields),
      takesCount: takes.count,
      gives: JSON.stringify(gives.fields),
      givesCount: gives.count,
    })),
  )
  await insert(pool, SAVE_OFFERS, offers)
}

/** Column by column, as `unnest` takes them: a row's keys are in the order of its statement's columns. */
async function insert(pool: pg.Pool, sql: string, rows: readonly object[]): Promise<void> {
  const values = rows.map((row): unknown[] => Object.values(row))
  const columns = values[0]?.map((_, column) => values.map(row => row[column])) ?? []
  await pool.query(sql, columns)
}

const SAVE_AGENTS = `
  insert into agents (agent_id, endpoint_on_chain, endpoint, owner, stake_wei, registered_block, registered_transaction,
    registered_at, standing, standing_since, declaration, declaration_version, name, description, wallet, proven_wallet,
    refreshed_at, badge, badge_shown)
  select id, 'https://agent-' || id || '.example', 'https://agent-' || id || '.example', owner, 1000000000000000, 1, '0x00',
    now(), standing, now(), declaration::json, 1, name, description, owner, owner, now(), badge, badge
  from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
    as made (id, standing, declaration, name, description, badge, owner)`

const SAVE_ENTRIES = `
  insert into search_entries
  select id, position, name_key, array_to_tsvector(string_to_array(name, ' ')),
    array_to_tsvector(string_to_array(capability, ' ')), array_to_tsvector(string_to_array(words, ' ')),
    string_to_array(tags, ' '), provisional, standing, jobs, least_price, most_price, hashes::integer[]
  from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::boolean[],
    $9::integer[], $10::bigint[], $11::bigint[], $12::bigint[], $13::text[]) as made (id, position, name_key, name, capability, words,
    tags, provisional, standing, jobs, least_price, most_price, hashes)`

const SAVE_OFFERS = `
  insert into search_capabilities
  select id, key, name, ordinal, price, string_to_array(tags, ' '), position, takes::jsonb, takes_count, gives::jsonb,
    gives_count
  from unnest($1::bigint[], $2::text[], $3::text[], $4::integer[], $5::bigint[], $6::text[], $7::bigint[], $8::text[],
    $9::integer[], $10::text[], $11::integer[])
    as made (id, key, name, ordinal, price, tags, position, takes, takes_count, gives, gives_count)`
