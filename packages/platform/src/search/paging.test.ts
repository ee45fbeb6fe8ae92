import { readTraceparent } from '@farebox/protocol/internal/trace/traceparent'
import { searchAnswer, searchQuery, type SearchAnswer, type SearchQuery } from '@farebox/platform-api/search'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Refusal } from '../http/refusal.ts'
import { insertAgent, sampleDeclaration } from '../test-setup/database/insert-agent.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import { tagHash } from '../listing/describe-entry.ts'
import { indexAgent } from '../listing/index-agent.ts'
import { sealCursor } from './cursor.ts'
import { searchRoutes } from './search-routes.ts'

let stage: Stage

beforeAll(async () => {
  stage = await stagePlatform()
  await stage.database.query('fill', FILL)
  await stage.database.query('fill-entries', FILL_ENTRIES, [tagHash('takes=string:text')])
  await stage.database.query(
    'fill-words',
    "insert into search_words values ('common'), ('hidden'), ('rareword')",
  )
})

afterAll(() => stage.close())

test.each(['relevance', 'price', 'badge', 'newest', 'jobs'] as const)(
  'pages sorted by %s contain every agent once',
  async sort => {
    const seen = await allPages({ q: 'common', sort, limit: '100' })
    expect(seen).toHaveLength(4_500)
    expect(new Set(seen).size).toBe(4_500)
  },
)

test('a common field finds only the agents that take it, even when other fields have the same hash', async () => {
  const seen = await allPages({ takes: 'string:text', limit: '100' })
  expect(new Set(seen).size).toBe(4_500)
  expect(seen.every(id => id <= 4_500)).toBe(true)
  expect(await allPages({ takes: 'string:text', q: 'common', limit: '100' })).toHaveLength(4_500)
})

test('a common word that only agents of low standing use is still found', async () => {
  const { agents } = await find({ q: 'hidden' })
  expect(agents).toHaveLength(20)
  expect(new Set(await allPages({ q: 'hidden', limit: '100' })).size).toBe(4_500)
})

test('the statistics about words do not change the answer', async () => {
  const before = await allPages({ q: 'common', limit: '100' })
  await stage.database.query('analyze', 'analyze search_entries')
  expect(await allPages({ q: 'common', limit: '100' })).toEqual(before)
})

test('pages continue at their place while agents are added and removed', async () => {
  const first = await find({ q: 'rareword', limit: '5' })
  const last = first.agents.at(-1)?.agent_id ?? 0
  await stage.database.query('gone', 'delete from search_entries where agent_id = $1', [last])
  // Its badge puts it before all others.
  const { agentId } = await insertAgent(stage.database, {
    declaration: sampleDeclaration(`0x${'ab'.repeat(20)}`, { description: 'rareword' }),
    badge: 'gold',
  })
  await stage.database.inTransaction(client => indexAgent(client, agentId))
  const rest = await allPages({ q: 'rareword', limit: '5', cursor: first.next_cursor ?? '' })
  expect(rest).toHaveLength(15)
  expect(rest).not.toContain(agentId)
  expect(new Set([...first.agents.map(({ agent_id: id }) => id), ...rest]).size).toBe(20)
})

test('pages of guesses continue with the same guess', async () => {
  const seen = await allPages({ q: 'comnon', limit: '100' })
  expect(new Set(seen).size).toBe(4_500)
})

test('a cursor that was changed, belongs to another query, or is invalid, is refused', async () => {
  const { next_cursor: cursor } = await find({ q: 'common', limit: '5' })
  if (cursor === null) throw new Error('there are more')
  const other = cursor.slice(0, 40) + (cursor[40] === 'A' ? 'B' : 'A') + cursor.slice(41)
  for (const query of [
    { q: 'common', cursor: other },
    { q: 'common', cursor: `${cursor}A` },
    { q: 'common', cursor: cursor.slice(0, -2) },
    { q: 'common', cursor: '' },
    { q: 'common', cursor: 'eyJhIjoxfQ' },
    { q: 'comon', cursor },
    { q: 'common', cursor, sort: 'price' as const },
    { q: 'common', cursor, badge: 'gold' as const },
    { cursor },
    // With the right checksum, which anyone can compute, at places that this query does not have.
    ...[{ category: 'data' as const }, {}].flatMap(query => [
      { ...query, cursor: sealCursor([5, '1', '1', null], query) },
      { ...query, cursor: sealCursor([5, '1', '1', [['a']]], query) },
      { ...query, cursor: sealCursor([0, '1', '1', [['a']]], query) },
    ]),
    { q: 'common', cursor: sealCursor([5, '1', '1', null], { q: 'common' }) },
  ]) {
    const refused = find(query)
    await expect(refused).rejects.toThrow(/^cursor: /)
    await expect(refused).rejects.toBeInstanceOf(Refusal)
  }
  expect((await find({ q: 'common', limit: '7', cursor })).agents).toHaveLength(7)
})

async function allPages(query: SearchQuery): Promise<readonly number[]> {
  const seen: number[] = []
  let cursor = query.cursor
  for (let page = 0; page < 200; page += 1) {
    const { agents, next_cursor: next } = await find({ ...query, cursor })
    seen.push(...agents.map(({ agent_id: id }) => id))
    if (next === null) return seen
    cursor = next
  }
  throw new Error('the pages have no end')
}

async function find(query: SearchQuery): Promise<SearchAnswer> {
  const route = searchRoutes(stage.parts).find(({ path }) => path === '/v1/agents')
  const answer = await route?.handle({
    params: undefined,
    query: searchQuery.parse(query),
    headers: undefined,
    body: undefined,
    caller: { kind: 'anonymous', ip: '127.0.0.1' },
    trace: readTraceparent(undefined),
    signal: new AbortController().signal,
  })
  return searchAnswer.parse(answer?.body)
}

/** More agents than a scan reads, and words in more of them than are collected. */
const FILL = `
  insert into agents (agent_id, endpoint_on_chain, endpoint, owner, stake_wei, registered_block, registered_transaction,
    registered_at, standing, standing_since)
  select id, 'x', 'https://agent-' || id || '.example', '0x' || lpad(to_hex(id), 40, 'a'), 1, 1, '0x00', now(), 'listed', now()
  from generate_series(1, 16000) as id`

const FILL_ENTRIES = `
  insert into search_entries
  select id, (id * 2654435761) % 4294967296, 'agent ' || id, array_to_tsvector(array['agent']), array_to_tsvector(array['agent']),
    array_to_tsvector(array['agent', case when id <= 4500 then 'common' when id > 11500 then 'hidden' else 'other' end,
      case when id between 5000 and 5019 then 'rareword' else 'other' end]),
    case when id <= 4500 then array['takes=string:text'] else array[]::text[] end, false, (16000 - id) / 100, id % 7, id % 50,
    id % 50, case when id % 3 = 0 then null when id <= 4600 then array[$1::integer] else '{}' end
  from generate_series(1, 16000) as id`
