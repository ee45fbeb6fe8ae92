import { capabilitiesAnswer, type CapabilitiesAnswer } from '@farebox/platform-api/flows/capabilities'
import type { Capability, Declaration } from '@farebox/protocol/declaration/declaration'
import type { Field, FieldMap } from '@farebox/protocol/fields/field'
import type { FastifyInstance } from 'fastify'
import { beforeEach, expect, test } from 'vitest'
import { createChecks } from '../../checking/checks.ts'
import { createAskNow } from '../../monitor/ask/ask-now.ts'
import { indexAgent } from '../../listing/index-agent.ts'
import { insertAgent, sampleDeclaration, type AgentInserted } from '../../test-setup/database/insert-agent.ts'
import { pretendOutbound } from '../../test-setup/network/pretend-outbound.ts'
import { stageApps } from '../../test-setup/stage-apps.ts'
import { flowRoutes } from '../flow-routes.ts'

const apps = stageApps()
let app: FastifyInstance

beforeEach(async () => {
  await apps.parts.database.query('empty', 'truncate agents cascade')
  app = apps.open(flowRoutes(apps.parts))
})

const TEXT: Field = { type: 'string', required: true }

function offer(
  takes: FieldMap,
  gives: FieldMap,
  given: Partial<Capability> & { price?: string } = {},
): Capability {
  const { price = '0.01', ...rest } = given
  return {
    description: 'Does its work',
    pricing: { model: 'per_job', amount: price, currency: 'USDC' },
    input_schema: takes,
    output_schema: gives,
    ...rest,
  }
}

async function list(declared: Partial<Declaration>, given: AgentInserted = {}): Promise<number> {
  const { database } = apps.parts
  const { agentId } = await insertAgent(database, {
    declaration: sampleDeclaration('0x', declared),
    ...given,
  })
  await database.inTransaction(client => indexAgent(client, agentId))
  return agentId
}

async function ask(query: { readonly [name: string]: string }): Promise<CapabilitiesAnswer> {
  const answer = await app.inject({ url: `/v1/capabilities?${new URLSearchParams(query)}` })
  expect(answer.statusCode, answer.body).toBe(200)
  return capabilitiesAnswer.parse(answer.json())
}

/** The results as `<agent>.<capability>`. */
async function names(query: { readonly [name: string]: string }): Promise<readonly string[]> {
  return (await ask(query)).capabilities.map(({ agent_id: id, capability }) => `${id}.${capability}`)
}

async function refusal(query: { readonly [name: string]: string }): Promise<string> {
  const answer = await app.inject({ url: `/v1/capabilities?${new URLSearchParams(query)}` })
  expect(answer.statusCode).toBe(400)
  return answer.json<{ error: string }>().error
}

test('a capability is returned as a flow step pins it', async () => {
  await list({}, { badge: 'silver' })
  expect((await ask({})).capabilities).toEqual([
    {
      agent_id: 1,
      capability: 'count',
      description: 'Counts words',
      state: 'online',
      reason: null,
      badge: 'silver',
      permissions: [],
      pinned: {
        agent_name: 'Word counter',
        hash: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
        price: '0.01',
        max_deadline_seconds: 300,
        input_schema: { text: { type: 'string', required: true, maxLength: 100 } },
        output_schema: { words: { type: 'integer' } },
      },
      fits: [],
    },
  ])
})

test('words find the matching capabilities of an agent, the most direct match first', async () => {
  await list({
    name: 'Texts',
    capabilities: {
      count: offer({}, {}, { description: 'Words and reading time' }),
      frequent: offer({}, {}, { description: 'What is said most' }),
      reading: offer({}, {}, { description: 'Says it aloud' }),
    },
  })
  expect(await names({ q: 'reading' })).toEqual(['1.reading', '1.count'])
  expect(await names({ q: 'readi' })).toEqual(['1.reading', '1.count'])
  // A word that is only in the agent's name matches all of its capabilities.
  expect(await names({ q: 'texts' })).toEqual(['1.count', '1.frequent', '1.reading'])
  expect(await names({ q: 'texts frequent' })).toEqual(['1.frequent'])
})

test('among agents that match equally, the earned rank decides', async () => {
  await list({})
  await list({}, { badge: 'gold' })
  expect(await names({ q: 'words' })).toEqual(['2.count', '1.count'])
})

test('capabilities that accept a field are graded: accepting every value first, none left out', async () => {
  await list(
    {
      capabilities: {
        short: offer({ title: { ...TEXT, maxLength: 10 } }, {}),
        any: offer({ size: { type: 'integer' }, note: { type: 'string' }, text: TEXT }, {}),
        flags: offer({ flags: { type: 'array' } }, {}),
      },
    },
    { badge: 'gold' },
  )
  await list({ capabilities: { plain: offer({ text: TEXT }, {}) } })
  const { capabilities } = await ask({ accepts: JSON.stringify({ type: 'string' }) })
  expect(
    capabilities.map(({ capability, fits }) => [capability, fits.map(fit => [fit.port, fit.grade])]),
  ).toEqual([
    [
      'any',
      [
        ['text', 'same'],
        ['note', 'same'],
        ['size', 'lossy'],
      ],
    ],
    ['plain', [['text', 'same']]],
    ['short', [['title', 'lossy']]],
  ])
  expect(capabilities[2]?.fits[0]?.reason).toBe(
    'can fail at run time: the input accepts a length of at most 10 characters',
  )
})

test('capabilities that can feed a field are graded as well', async () => {
  await list({ capabilities: { words: offer({}, { list: { type: 'array', items: { type: 'string' } } }) } })
  await list({ capabilities: { count: offer({}, { words: { type: 'integer' } }) } })
  await list({ capabilities: { say: offer({}, { text: { type: 'string' }, ok: { type: 'boolean' } }) } })
  const gives = JSON.stringify({ type: 'string', required: true })
  const { capabilities } = await ask({ gives })
  expect(
    capabilities.map(({ capability, fits }) => [capability, fits.map(fit => [fit.port, fit.grade])]),
  ).toEqual([
    [
      'say',
      [
        ['text', 'same'],
        ['ok', 'safe'],
      ],
    ],
    ['count', [['words', 'safe']]],
  ])
})

test('words, price and field must match the same capability', async () => {
  await list({
    capabilities: {
      translate: offer({ words: { type: 'array' } }, {}, { price: '0.5' }),
      cheap: offer({ text: TEXT }, {}, { price: '0.001' }),
    },
  })
  await list({ capabilities: { translate: offer({ text: TEXT }, {}, { price: '0.002' }) } })
  const accepts = JSON.stringify({ type: 'string' })
  expect(await names({ q: 'translate', accepts })).toEqual(['2.translate'])
  expect(await names({ max_price: '0.0015' })).toEqual(['1.cheap'])
  expect(await names({ accepts: JSON.stringify({ type: 'array' }), max_price: '0.1' })).toEqual([])
})

test('a provisional, offline, unproven or taken-down agent is not found, because it cannot be ordered from', async () => {
  await list({})
  await list({}, { standing: 'provisional', declaration: null })
  await list({}, { isOffline: true })
  await list({}, { provenWallet: null })
  await list({}, { standing: 'taken-down' })
  expect(await names({})).toEqual(['1.count'])
  // A capability that is left out occupies no place on a page.
  await list({}, { provenWallet: null, badge: 'gold' })
  expect(await names({ limit: '1' })).toEqual(['1.count'])
})

test('a request with ids reports all capabilities, including those that are gone', async () => {
  await list({})
  await list({}, { isOffline: true })
  await list({}, { provenWallet: null })
  await list({}, { standing: 'taken-down' })
  await list({}, { standing: 'deregistered' })
  await list({ capabilities: { 'read, aloud': offer({}, {}) } })
  const { capabilities } = await ask({
    ids: '1.count,2.count,3.count,4.count,5.count,1.gone,99.count,1.toString,6.read%2C%20aloud,1.count',
  })
  expect(capabilities.map(({ capability, state, pinned }) => [capability, state, pinned !== null])).toEqual([
    ['count', 'online', true],
    ['count', 'offline', true],
    ['count', 'closed', true],
    ['count', 'gone', false],
    ['count', 'closed', true],
    ['gone', 'gone', false],
    ['count', 'gone', false],
    ['toString', 'gone', false],
    ['read, aloud', 'online', true],
  ])
  expect(capabilities.flatMap(({ agent_id: id, reason }) => (reason === null ? [] : [[id, reason]]))).toEqual(
    [
      [3, expect.stringMatching(/^Its wallet is not the one it proved/)],
      [5, 'It was deregistered.'],
    ],
  )
})

test('with now, each online agent is asked whether it answers, at most once in five seconds', async () => {
  const asked: string[] = []
  const outbound = pretendOutbound(({ url }) => {
    asked.push(url)
    return url.startsWith('https://dead') ? 'refuse' : 'ok'
  })
  let nowMs = Date.now()
  const clock = { ...apps.parts.clock, nowMs: () => nowMs }
  const parts = { ...apps.parts, outbound, clock }
  app = apps.open(flowRoutes(parts), { parts })
  await list({}, { endpoint: 'https://alive.example' })
  await list({}, { endpoint: 'https://dead.example' })
  await list({}, { endpoint: 'https://off.example', isOffline: true })
  const states = async (): Promise<readonly string[]> => {
    const { capabilities } = await ask({ ids: '1.count,2.count,3.count', now: 'true' })
    return capabilities.map(({ state }) => state)
  }
  expect(await states()).toEqual(['online', 'unreachable', 'offline'])
  const once = ['https://alive.example/health', 'https://dead.example/health']
  expect(await states()).toEqual(['online', 'unreachable', 'offline'])
  expect(asked.toSorted()).toEqual(once)
  nowMs += 5_000
  await states()
  expect(asked.toSorted()).toEqual([...once, ...once].toSorted())
  // Other requests still use the result of its checks.
  expect((await ask({ ids: '2.count' })).capabilities[0]?.state).toBe('online')
  expect(await refusal({ now: 'true' })).toBe('now: is possible only together with ids')
})

test('only a limited number of agents is asked in five seconds; for the others the last checks count', async () => {
  let asked = 0
  const outbound = pretendOutbound(() => {
    asked += 1
    return 'refuse'
  })
  const parts = { ...apps.parts, outbound, clock: { ...apps.parts.clock, nowMs: () => 1_000_000 } }
  const askNow = createAskNow(parts)
  const agents = Array.from({ length: 300 }, (_, index) => ({
    agentId: index + 1,
    endpoint: `https://agent-${index}.example`,
    owner: `0x${'11'.repeat(20)}`,
    endpointBy: undefined,
    name: '',
  }))
  const answers = await Promise.all(agents.map(askNow))
  expect([asked, answers.filter(isThere => isThere).length]).toEqual([250, 50])
})

test('pages contain every capability once, in the order of one long page', async () => {
  for (let index = 0; index < 12; index += 1)
    await list(
      {
        capabilities: {
          lossy: offer({ text: { ...TEXT, maxLength: 5 } }, {}),
          same: offer({ text: TEXT }, {}),
        },
      },
      { badge: index % 2 === 0 ? 'none' : 'bronze' },
    )
  const accepts = JSON.stringify({ type: 'string' })
  for (const query of [{ accepts }, { q: 'word' }, {}]) {
    const all = await names({ ...query, limit: '50' })
    const paged: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page: CapabilitiesAnswer = await ask({ ...query, limit: '5', ...(cursor !== '' && { cursor }) })
      paged.push(...page.capabilities.map(({ agent_id: id, capability }) => `${id}.${capability}`))
      cursor = page.next_cursor
    }
    expect(new Set(all).size).toBe(24)
    expect(paged).toEqual(all)
  }
  const { next_cursor: other } = await ask({ accepts, limit: '5' })
  expect(await refusal({ q: 'word', cursor: other ?? '' })).toMatch(/^cursor: /)
})

test('agents with slow patterns make pages shorter, and no capability is lost', async () => {
  for (let index = 0; index < 7; index += 1) await list({ capabilities: { work: offer({ text: TEXT }, {}) } })
  // Each agent takes 150 ms; after 400 ms no further agent is started.
  let nowMs = 0
  const checks = createChecks({ nowMs: () => (nowMs += 150) })
  const checker = {
    ...apps.parts.checker,
    run: (kind: keyof typeof checks, given: never) =>
      Promise.resolve((checks[kind] as (one: never) => never)(given)),
  }
  const parts = { ...apps.parts, checker } as typeof apps.parts
  app = apps.open(flowRoutes(parts), { parts })
  const accepts = JSON.stringify({ type: 'string' })
  const whole = await ask({ accepts, limit: '50' })
  expect(whole.capabilities).toHaveLength(7)
  const small = await ask({ accepts, limit: '2' })
  const rest = await ask({ accepts, limit: '50', cursor: small.next_cursor ?? '' })
  const all = [...small.capabilities, ...rest.capabilities].map(({ agent_id: id }) => id)
  expect([all.length, new Set(all).size]).toEqual([7, 7])
})

test('an invalid query is refused with the name of the parameter', async () => {
  expect(await refusal({ accepts: '{' })).toMatch(/^accepts: must be a field as JSON/)
  expect(await refusal({ gives: '{"type":"words"}' })).toMatch(/^gives: must be a field as JSON/)
  await list({})
  expect(await refusal({ accepts: '{"type":"string","maximum":3}' })).toMatch(/^accepts: field\.maximum: /)
  expect(await refusal({ accepts: '{"type":"string","pattern":"("}' })).toMatch(/^accepts: field\.pattern: /)
  expect(await refusal({ accepts: '{"type":"string"}', gives: '{"type":"string"}' })).toMatch(/^gives: /)
  expect(await refusal({ ids: '1.count', q: 'words' })).toMatch(/^q: /)
  for (const ids of ['count', '0.count', '1.', '1.%E0%A4%A', '1.count,'])
    expect(await refusal({ ids })).toMatch(/^ids: /)
  expect(await refusal({ ids: Array.from({ length: 201 }, (_, id) => `${id + 1}.a`).join(',') })).toBe(
    'ids: must be at most 200',
  )
})
