import type { Declaration } from '@farebox/protocol/declaration/declaration'
import type pg from 'pg'
import { toCategory, type Badge, type ListingStatus } from '../agents/agent-row.ts'
import { applyRecounts } from '../tallies/apply-recounts.ts'
import { readTally } from '../tallies/read-tally.ts'
import { describeEntry, type ListingEntry, type FindableAgent } from './describe-entry.ts'

/**
 * Updates the search entry of an agent from its row in `agents` and its paid jobs. Must be called in the transaction that
 * changed the row. Writes the entry, or removes it when the agent must not be found: offline, refused, taken down,
 * deregistered, or not inspected yet. Calling it repeatedly is safe.
 *
 * Locks the agent's row until the transaction ends, as the change of the row did already.
 */
export async function indexAgent(client: pg.PoolClient, agentId: number): Promise<void> {
  const agent = await readFindable(client, agentId)
  if (agent === undefined) {
    await client.query('delete from search_entries where agent_id = $1', [agentId])
    return
  }
  const entry = describeEntry(agent)
  await client.query(SAVE_ENTRY, [
    agentId,
    entry.position,
    entry.nameKey,
    entry.nameWords,
    entry.capabilityWords,
    entry.allWords,
    entry.tags,
    agent.isProvisional,
    entry.standing,
    agent.jobsDone,
    entry.minPriceAtomic,
    entry.maxPriceAtomic,
    entry.tagHashes ?? null,
  ])
  await saveCapabilities(client, agentId, entry)
  await client.query(SAVE_WORDS, [entry.allWords.filter(word => CAN_BE_MISTYPED.test(word))])
}

async function readFindable(client: pg.PoolClient, agentId: number): Promise<FindableAgent | undefined> {
  const { rows } = await client.query<{
    standing: ListingStatus
    name: string
    description: string
    declaration: Declaration | null
    is_offline: boolean
    badge_shown: Badge
    category: string | null
  }>(
    `select standing, name, description, declaration, is_offline, badge_shown, category
     from agents where agent_id = $1 for no key update`,
    [agentId],
  )
  const [row] = rows
  if (row === undefined || row.is_offline || !['listed', 'provisional'].includes(row.standing))
    return undefined
  await applyRecounts(client, agentId)
  const { jobsDone, payers } = await readTally(client, agentId)
  return {
    agentId,
    name: row.name,
    description: row.description,
    declaration: row.declaration ?? undefined,
    isProvisional: row.standing === 'provisional',
    badgeShown: row.badge_shown,
    category: toCategory(row.category),
    jobsDone,
    payers,
  }
}

/** Writes only when something changed, because an entry has many index rows. */
const SAVE_ENTRY = `
  insert into search_entries as entry (agent_id, position, name_key, name_words, capability_words, all_words, tags,
    is_provisional, standing, jobs_done, min_price_atomic, max_price_atomic, tag_hashes)
  values ($1, $2, $3, array_to_tsvector($4::text[]), array_to_tsvector($5::text[]), array_to_tsvector($6::text[]),
    $7::text[], $8, $9, $10, $11, $12, $13::integer[])
  on conflict (agent_id) do update set
    name_key = excluded.name_key, name_words = excluded.name_words, capability_words = excluded.capability_words,
    all_words = excluded.all_words, tags = excluded.tags, is_provisional = excluded.is_provisional,
    standing = excluded.standing, jobs_done = excluded.jobs_done, min_price_atomic = excluded.min_price_atomic,
    max_price_atomic = excluded.max_price_atomic, tag_hashes = excluded.tag_hashes
  where entry.* is distinct from excluded.*`

async function saveCapabilities(client: pg.PoolClient, agentId: number, entry: ListingEntry): Promise<void> {
  const { capabilities, position } = entry
  await client.query('delete from search_capabilities where agent_id = $1 and capability_key <> all($2)', [
    agentId,
    capabilities.map(({ key }) => key),
  ])
  const rows = capabilities.map(({ key, name, ordinal, priceAtomic, tags, takes, gives }) => ({
    key,
    name,
    ordinal,
    price: priceAtomic.toString(),
    tags,
    takes: takes.fields,
    takes_count: takes.count,
    gives: gives.fields,
    gives_count: gives.count,
  }))
  await client.query(SAVE_CAPABILITIES, [agentId, position, JSON.stringify(rows)])
}

const SAVE_CAPABILITIES = `
  insert into search_capabilities as known
    (agent_id, capability_key, capability, ordinal, price_atomic, tags, position, takes, takes_count, gives, gives_count)
  select $1, key, name, ordinal, price, tags, $2, takes, takes_count, gives, gives_count
  from jsonb_to_recordset($3::jsonb) as given (key text, name text, ordinal integer, price bigint, tags text[],
    takes jsonb, takes_count integer, gives jsonb, gives_count integer)
  on conflict (agent_id, capability_key) do update set
    capability = excluded.capability, ordinal = excluded.ordinal, price_atomic = excluded.price_atomic,
    tags = excluded.tags, takes = excluded.takes, takes_count = excluded.takes_count, gives = excluded.gives,
    gives_count = excluded.gives_count
  where known.* is distinct from excluded.*`

const SAVE_WORDS = `
  insert into search_words (word)
  select given.word from unnest($1::text[]) as given (word)
  where not exists (select from search_words where search_words.word = given.word)`

/** Shorter words are similar to too many others. */
const CAN_BE_MISTYPED = /^(?=.*\p{L}).{4,}$/u
