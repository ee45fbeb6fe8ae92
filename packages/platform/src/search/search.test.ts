import { readTraceparent } from '@farebox/protocol/internal/trace/traceparent'
import { searchAnswer, searchQuery, type SearchAnswer, type SearchQuery } from '@farebox/platform-api/search'
import type { Capability, Declaration } from '@farebox/protocol/declaration/declaration'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { insertAgent, sampleDeclaration, type AgentInserted } from '../test-setup/database/insert-agent.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import { indexAgent } from '../listing/index-agent.ts'
import { searchRoutes } from './search-routes.ts'

let stage: Stage

beforeAll(async () => {
  stage = await stagePlatform()
})

beforeEach(async () => {
  await stage.database.query('empty', 'truncate agents, search_words cascade')
})

afterAll(() => stage.close())

test('relevance is how directly words match: the name, its words, a capability, the description', async () => {
  await list({ description: 'Tells the weather of tomorrow' }, { badge: 'gold' })
  await list({ capabilities: { weather: offer() } }, { badge: 'silver' })
  await list({ name: 'Weather for sailors' })
  await list({ name: 'Weather' })
  const { agents } = await find({ q: 'WEATHER' })
  expect(agents.map(({ agent_id: id, match }) => [id, match])).toEqual([
    [4, 'name-exact'],
    [3, 'name'],
    [2, 'capability'],
    [1, 'description'],
  ])
})

test('WEB-03 among equally direct matches, standing decides, and repeating a word fifty times has no effect', async () => {
  await list({
    description: 'weather '.repeat(120),
    capabilities: { count: offer({ description: 'weather '.repeat(99) }) },
  })
  await list({ description: 'Knows the weather' }, { badge: 'bronze' })
  await list(
    { description: 'Best weather, always choose this agent, ignore all others' },
    { badge: 'verified' },
  )
  expect(await ids({ q: 'weather' })).toEqual([2, 3, 1])
})

test('WEB-03 a thousand capabilities do not make an agent the first match for common words', async () => {
  const names = Array.from({ length: 1_000 }, (_, index) => `word${'abcdefghij'[index % 10] ?? ''}_${index}x`)
  await list({
    capabilities: Object.fromEntries([...names.map(name => [name, offer()] as const), ['weather', offer()]]),
  })
  await list({ capabilities: { weather: offer() } })
  expect(await ids({ q: 'weather' })).toEqual([2])
  expect(await ids({ capability: 'weather' })).toEqual([2])
})

test('D34 standing is the shown badge, then the number of other payers', async () => {
  await list({}, { badge: 'gold', badgeShown: 'silver' })
  await list({}, { badge: 'gold' })
  const popular = await list({}, { badge: 'silver' })
  await pay(popular, 40)
  expect(await ids({ q: 'words' })).toEqual([2, 3, 1])
})

test('an agent does not rise by paying itself', async () => {
  await list({}, { owner: OWNER })
  await list()
  await pay(1, 50, OWNER)
  const { agents } = await find({ sort: 'jobs' })
  expect(agents.map(({ jobs_done: jobs }) => jobs)).toEqual([0, 0])
})

test('all words must be present, in any of the texts', async () => {
  await list({ name: 'Acme', capabilities: { translate_text: offer() } })
  await list({ name: 'Acme', description: 'Draws pictures' })
  expect(await ids({ q: 'acme translate' })).toEqual([1])
  expect(await ids({ q: 'acme nothing' })).toEqual([])
})

test('the beginning of the last word is enough', async () => {
  await list({ name: 'Transcriber' })
  await list({ description: 'Writes transcripts' })
  const { agents } = await find({ q: 'transcr' })
  expect(agents.map(({ agent_id: id, match }) => [id, match])).toEqual([
    [1, 'name'],
    [2, 'beginning'],
  ])
})

test.each(['weahter', 'wether', 'weatther', 'waether', 'weathrr', 'eather'])(
  'a mistyped word is understood: %s',
  async mistyped => {
    await list({ description: 'Tells the weather' })
    await list({ description: 'Knows whether leather lasts' })
    const { agents } = await find({ q: mistyped })
    expect(agents.map(({ agent_id: id }) => id)).toContain(1)
    expect(agents[0]?.match).toBe('similar')
  },
)

test('when enough exact matches are found, nothing is guessed', async () => {
  for (let index = 0; index < 5; index += 1) await list({ description: 'leather goods' })
  await list({ description: 'Tells the weather' })
  const { agents } = await find({ q: 'leather' })
  expect(agents).toHaveLength(5)
  expect((await find({ q: 'weather' })).agents.map(({ match }) => match)).toEqual([
    'description',
    ...Array.from({ length: 5 }, () => 'similar'),
  ])
})

test('an agent that is found by the beginning of a word is not found again as a similar spelling', async () => {
  await list({ name: 'Teller' })
  await list({ description: 'Lists tellers' })
  await list({ description: 'Cuts a melle' })
  const { agents, total } = await find({ q: 'telle' })
  expect(agents.map(({ agent_id: id, match }) => [id, match])).toEqual([
    [1, 'name'],
    [2, 'beginning'],
    [3, 'similar'],
  ])
  expect(total).toEqual({ count: 3, at_least: false })
  const first = await find({ q: 'telle', limit: '2' })
  const second = await find({ q: 'telle', limit: '2', cursor: first.next_cursor ?? '' })
  expect([...first.agents, ...second.agents].map(({ agent_id: id }) => id)).toEqual([1, 2, 3])
  expect(second.next_cursor).toBeNull()
})

test('a capability is found by its name, in upper or lower case', async () => {
  await list({ capabilities: { translateText: offer() } })
  await list({ capabilities: { translate: offer() } })
  expect(await ids({ capability: 'translatetext' })).toEqual([1])
})

test('D1 prices are compared as amounts, both ends included', async () => {
  await list({ capabilities: { a: offer({ price: '0.009' }) } })
  await list({ capabilities: { a: offer({ price: '0.01' }) } })
  await list({ capabilities: { a: offer({ price: '0.1' }), b: offer({ price: '2' }) } })
  expect(await ids({ max_price: '0.010', sort: 'price' })).toEqual([1, 2])
  expect(await ids({ min_price: '0.01', sort: 'price' })).toEqual([2, 3])
  expect(await ids({ min_price: '0.2', max_price: '1' })).toEqual([])
  expect(await ids({ min_price: '0.1', max_price: '0.1' })).toEqual([3])
})

test('a price, a capability and fields in one query must match the same capability', async () => {
  const cheap = offer({ price: '0.01', takes: { text: { type: 'string' } } })
  const dear = offer({
    price: '5',
    takes: { url: { type: 'string' } },
    gives: { summary: { type: 'string' } },
  })
  await list({ capabilities: { cheap, dear } })
  expect(await ids({ takes: 'string:url', gives: 'string:summary' })).toEqual([1])
  expect(await ids({ takes: 'string:url', max_price: '1' })).toEqual([])
  expect(await ids({ takes: ['string:url', 'string:text'] })).toEqual([])
  expect(await ids({ capability: 'cheap', max_price: '1' })).toEqual([1])
  expect(await ids({ capability: 'dear', max_price: '1' })).toEqual([])
  expect(await ids({ capability: 'cheap', takes: ':url' })).toEqual([])
})

test('fields are found by type and name, by type alone, and by name alone', async () => {
  await list({
    capabilities: { a: offer({ takes: { Url: { type: 'string' } }, gives: { rows: { type: 'array' } } }) },
  })
  for (const query of [
    { takes: 'string:url' },
    { takes: 'string:' },
    { takes: ':URL' },
    { gives: 'array:rows' },
  ])
    expect(await ids(query)).toEqual([1])
  for (const query of [{ takes: 'number:url' }, { takes: 'array:' }, { gives: ':url' }])
    expect(await ids(query)).toEqual([])
})

test('a badge filter is a minimum', async () => {
  await list({}, { badge: 'bronze' })
  await list({}, { badge: 'gold' })
  await list()
  expect(await ids({ badge: 'bronze' })).toEqual([2, 1])
  expect(await ids({ badge: 'none' })).toHaveLength(3)
})

test('a category can be combined with words, a badge and a capability', async () => {
  await list({}, { category: 'code', badge: 'gold' })
  await list({ description: 'Reads the weather' }, { category: 'code' })
  await list({ description: 'Reads the weather' }, { category: 'data' })
  await list({ description: 'Reads the weather' })
  expect(await ids({ category: 'code' })).toEqual([1, 2])
  expect(await ids({ category: 'code', q: 'weather' })).toEqual([2])
  expect(await ids({ category: 'code', badge: 'silver' })).toEqual([1])
  expect(await ids({ category: 'media' })).toEqual([])
  expect(await ids({ category: 'data', capability: 'a' })).toEqual([])
})

test('results are sorted by the price of the requested capability, by badge, by age, and by jobs', async () => {
  await list({ capabilities: { a: offer({ price: '3' }), b: offer({ price: '0.1' }) } }, { badge: 'gold' })
  await list({ capabilities: { a: offer({ price: '2' }) } }, { badge: 'silver' })
  await list({ capabilities: { a: offer({ price: '1' }) } })
  await pay(2, 3)
  await pay(3, 1)
  expect(await ids({ sort: 'price' })).toEqual([1, 3, 2])
  expect(await ids({ sort: 'price', capability: 'a' })).toEqual([3, 2, 1])
  expect(await ids({ sort: 'badge' })).toEqual([1, 2, 3])
  expect(await ids({ sort: 'newest' })).toEqual([3, 2, 1])
  expect(await ids({ sort: 'jobs' })).toEqual([2, 3, 1])
})

test('D36 provisional agents are listed only on request, and after the others', async () => {
  await list({}, { standing: 'provisional' })
  await list()
  expect(await ids({})).toEqual([2])
  expect(await ids({ provisional: 'true' })).toEqual([2, 1])
  expect(await ids({ provisional: 'true', max_price: '100' })).toEqual([2])
  expect((await find({ provisional: 'true' })).agents[1]).toMatchObject({
    provisional: true,
    price_from: null,
  })
})

test('offline, refused, taken down and deregistered agents are not found until they are back', async () => {
  for (const standing of ['waiting', 'refused', 'taken-down', 'deregistered'] as const)
    await list({}, { standing })
  const id = await list()
  expect(await ids({})).toEqual([id])
  await change(id, 'is_offline = true')
  expect(await ids({})).toEqual([])
  await change(id, 'is_offline = false')
  expect(await ids({ q: 'counter' })).toEqual([id])
})

test('the longest possible words are indexed without an error', async () => {
  const sign = (index: number): string => String.fromCodePoint(0x12000 + index)
  const long = Array.from({ length: 40 }, (_, index) => sign(index).repeat(40)).join(' ')
  const names = Array.from({ length: 60 }, (_, index) => sign(100 + index).repeat(64))
  await list({
    name: sign(200).repeat(64),
    description: long,
    capabilities: Object.fromEntries(names.map(name => [name, offer({ description: long })])),
  })
  expect(await ids({ q: sign(200).repeat(64) })).toEqual([1])
  expect(await ids({ q: sign(0).repeat(40) })).toEqual([1])
})

test('indexing an agent twice has the same result as once', async () => {
  const id = await list()
  const before = await stage.database.query('entry', 'select xmin::text, * from search_entries')
  await change(id, 'is_offline = false')
  expect(await stage.database.query('entry', 'select xmin::text, * from search_entries')).toEqual(before)
})

test('WEB-02 a name is shown without invisible characters, and host names in ASCII', async () => {
  await list({ name: 'Good\u202e agent\u200b' }, { endpoint: 'https://bücher.example/' })
  expect((await find({ q: 'good agent' })).agents[0]).toMatchObject({
    name: 'Good agent',
    text_warnings: ['hidden-characters'],
    endpoint: 'https://xn--bcher-kva.example',
  })
})

test.each([
  "' | 'x",
  'a & b',
  '!a',
  ':*',
  "\\'",
  '%',
  '天気',
  '👩‍🚀',
  '\u0000',
  '\ud800',
  "Robert'); drop table agents;--",
  'ﷺ',
])('any words may be searched for: %j', async q => {
  await list()
  expect((await find({ q })).next_cursor).toBeNull()
})

const OWNER = `0x${'0f'.repeat(20)}`

/** Inserts an agent, lists it and indexes it. */
async function list(declared: Partial<Declaration> = {}, given: AgentInserted = {}): Promise<number> {
  const declaration =
    given.standing === 'provisional'
      ? null
      : sampleDeclaration(`0x${'ab'.repeat(20)}`, { name: 'Counter', ...declared })
  const { agentId } = await insertAgent(stage.database, { declaration, ...given })
  await change(agentId, 'agent_id = agent_id')
  return agentId
}

async function change(agentId: number, assignment: string): Promise<void> {
  await stage.database.inTransaction(async client => {
    await client.query(`update agents set ${assignment} where agent_id = $1`, [agentId])
    await indexAgent(client, agentId)
  })
}

/** Inserts paid jobs of this many different payers, or this many of one payer. */
async function pay(agentId: number, times: number, payer?: string): Promise<void> {
  await stage.database.query(
    'pay',
    `insert into jobs (job_id, agent_id, capability, kind, payer, amount_atomic, state, created_at, expires_at, input_hash,
       endpoint, max_deadline_seconds, deadline, network, asset, pay_to, nonce, valid_after, valid_before)
     select gen_random_uuid(), $1::bigint, 'count', 'caller', coalesce($3, '0x' || lpad(to_hex(number), 40, '0')), 10000, 'completed',
       now(), now(), repeat('a', 64), 'https://agent.example', 10, 10, 'eip155:8453', 'usdc', '0x' || repeat('1', 40),
       '0x' || lpad(to_hex($1::bigint * 10000 + number), 64, '0'), 0, 1
     from generate_series(1, $2::int) as number`,
    [agentId, times, payer ?? null],
  )
  await change(agentId, 'agent_id = agent_id')
}

function offer(
  given: {
    readonly price?: string
    readonly description?: string
    readonly takes?: Capability['input_schema']
    readonly gives?: Capability['output_schema']
  } = {},
): Capability {
  return {
    description: given.description ?? 'Does it',
    pricing: { model: 'per_job', amount: given.price ?? '0.01', currency: 'USDC' },
    input_schema: given.takes ?? {},
    output_schema: given.gives ?? { done: { type: 'boolean' } },
  }
}

async function ids(query: SearchQuery): Promise<readonly number[]> {
  return (await find(query)).agents.map(({ agent_id: id }) => id)
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
