import { readTraceparent } from '@farebox/protocol/internal/trace/traceparent'
import { agentPage, type AgentPage } from '@farebox/platform-api/agent'
import { hashCapability } from '@farebox/platform-api/capability-hash'
import type { Capability, Declaration } from '@farebox/protocol/declaration/declaration'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { Refusal } from '../http/refusal.ts'
import { watchAgent } from '../agents/watch-agent.ts'
import { indexAgent } from '../listing/index-agent.ts'
import { insertAgent, sampleDeclaration, type AgentInserted } from '../test-setup/database/insert-agent.ts'
import { insertPaidJob } from '../test-setup/database/insert-paid-job.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import { agentPageRoutes } from './agent-page-routes.ts'

let stage: Stage

beforeAll(async () => {
  stage = await stagePlatform()
})

beforeEach(async () => {
  await stage.database.query('empty', 'truncate agents cascade')
})

afterAll(() => stage.close())

test('a page shows who an agent is, what it does and what it costs', async () => {
  const { agentId, owner } = await insertAgent(stage.database, { badge: 'silver', badgeShown: 'bronze' })
  await stage.database.inTransaction(async client => {
    await watchAgent(client, agentId, stage.clock.nowMs())
    await indexAgent(client, agentId)
  })
  expect(await read(agentId)).toMatchObject({
    agent_id: agentId,
    name: 'Word counter',
    endpoint: `https://agent-${agentId}.example`,
    owner,
    wallet: owner,
    standing: 'listed',
    payable: true,
    badge: 'bronze',
    health: { availability: 'waiting', consecutive_failures: 0, uptime_7d: null },
    jobs_done: 0,
    capabilities: [
      {
        name: 'count',
        price: '0.01',
        price_atomic: '10000',
        input_schema: { text: { type: 'string', required: true, maxLength: 100 } },
      },
    ],
    notices: [],
    openapi_url: `http://127.0.0.1:4020/v1/agents/${agentId}/openapi.json`,
  })
})

test('a listed agent is found by its endpoint in any spelling', async () => {
  const { agentId } = await insertAgent(stage.database, { endpoint: 'https://agent.example/a' })
  await insertAgent(stage.database, { endpoint: 'https://other.example', standing: 'refused' })
  const at = async (endpoint: string): Promise<unknown> => {
    const route = agentPageRoutes(stage.parts).find(({ path }) => path === '/v1/agents/at')
    const asked = { params: undefined, query: { endpoint }, headers: undefined, body: undefined }
    const { signal } = new AbortController()
    return (
      await route?.handle({
        ...asked,
        caller: { kind: 'anonymous', ip: '127.0.0.1' },
        trace: readTraceparent(undefined),
        signal,
      })
    )?.body
  }
  expect(await at('HTTPS://Agent.example:443/a/')).toEqual({ agent_id: agentId, name: 'Word counter' })
  await expect(at('https://other.example')).rejects.toThrow('endpoint: no agent is listed with it')
  await expect(at('mailto:a@b.c')).rejects.toThrow(/^endpoint: /)
})

test('a page shows the stake and its transaction while the agent is staked', async () => {
  const { agentId } = await insertAgent(stage.database)
  expect((await read(agentId)).stake).toEqual({
    amount_wei: '1000000000000000',
    transaction: `0x${agentId.toString(16).padStart(64, '0')}`,
    block_number: 1,
  })
  await stage.database.pool.query(`update agents set standing = 'deregistered'`)
  expect((await read(agentId)).stake).toBeNull()
})

test('the hash of a capability changes with its schemas and price, and with nothing else', async () => {
  const hashes = async (changes: Partial<Capability>): Promise<string | undefined> => {
    const declaration = priced('0.010')
    const { count } = declaration.capabilities
    if (count === undefined) throw new Error('the sample has a capability')
    const capabilities = { count: { ...count, ...changes } }
    const { agentId } = await insertAgent(stage.database, { declaration: { ...declaration, capabilities } })
    const [capability] = (await read(agentId)).capabilities
    expect(capability?.hash).toBe(capability && (await hashCapability(capability)))
    return capability?.hash
  }
  const text = { type: 'string', required: true, maxLength: 100 } as const
  const first = await hashes({})
  const others = [
    await hashes({ pricing: { model: 'per_job', amount: '0.011', currency: 'USDC' } }),
    await hashes({ input_schema: { text: { ...text, maxLength: 99 } } }),
    await hashes({ output_schema: { words: { type: 'number' } } }),
  ]
  expect(new Set([first, ...others]).size).toBe(4)
  expect(await hashes({ description: 'Counts all words' })).toBe(first)
  expect(await hashes({ pricing: { model: 'per_job', amount: '0.01', currency: 'USDC' } })).toBe(first)
  expect(await hashes({ input_schema: { text: { maxLength: 100, required: true, type: 'string' } } })).toBe(
    first,
  )
})

test('a page shows how long jobs take, counting only those that others paid for', async () => {
  const { agentId, owner } = await insertAgent(stage.database)
  expect(await read(agentId)).toMatchObject({ job_p50_ms: null, job_p95_ms: null })
  for (let ms = 1; ms <= 20; ms += 1)
    await insertPaidJob(stage.database, {
      agentId,
      elapsedMs: ms * 100,
      payer: `0x${'c'.repeat(39)}${ms % 4}`,
    })
  for (let job = 0; job < 30; job += 1)
    await insertPaidJob(stage.database, { agentId, elapsedMs: 1, payer: owner })
  await stage.database.inTransaction(client => indexAgent(client, agentId))
  expect(await read(agentId)).toMatchObject({ job_p50_ms: 1_000, job_p95_ms: 1_900 })
})

test('an agent with an unproven wallet is not payable, and its page says so', async () => {
  const { agentId } = await insertAgent(stage.database, { provenWallet: null })
  const page = await read(agentId)
  expect(page.payable).toBe(false)
  expect(page.notices).toEqual([{ kind: 'not-payable', text: expect.stringMatching(/wallet/) }])
})

test('D36 a provisional agent is shown and cannot be paid', async () => {
  const { agentId } = await insertAgent(stage.database, { standing: 'provisional', declaration: null })
  expect(await read(agentId)).toMatchObject({
    standing: 'provisional',
    payable: false,
    capabilities: [],
    notices: [{ kind: 'not-payable' }],
  })
})

test('a price rise is shown for seven days', async () => {
  const id = await insertVersions([
    [30, '0.01'],
    [3, '0.03'],
  ])
  expect((await read(id)).notices).toEqual([
    {
      kind: 'price-risen',
      capability: 'count',
      from: '0.01',
      to: '0.03',
      since: Math.floor((stage.clock.nowMs() - 3 * DAY_MS) / 1_000),
      text: 'The price of "count" went up from 0.01 to 0.03 USDC.',
    },
  ])
})

test.each<[string, readonly (readonly [number, string])[]]>([
  [
    'rose eight days ago',
    [
      [30, '0.01'],
      [8, '0.03'],
    ],
  ],
  [
    'fell',
    [
      [30, '0.03'],
      [3, '0.01'],
    ],
  ],
  ['never changed', [[30, '0.03']]],
  [
    'went up and came back',
    [
      [30, '0.01'],
      [5, '0.09'],
      [2, '0.01'],
    ],
  ],
])('a price that %s is not shown as risen', async (_, versions) => {
  expect((await read(await insertVersions(versions))).notices).toEqual([])
})

test('a price that fell for a day and rose again is shown, because callers may remember the lower one', async () => {
  const id = await insertVersions([
    [30, '0.03'],
    [3, '0.01'],
    [2, '0.03'],
  ])
  expect((await read(id)).notices).toMatchObject([{ from: '0.01', to: '0.03' }])
})

test('the texts of an agent that was taken down are not shown', async () => {
  const { agentId } = await insertAgent(stage.database, { standing: 'taken-down' })
  expect(await read(agentId)).toMatchObject({
    name: '',
    description: '',
    endpoint: null,
    capabilities: [],
    payable: false,
  })
})

test('an agent that never existed is not found', async () => {
  await expect(read(999)).rejects.toBeInstanceOf(Refusal)
})

const DAY_MS = 86_400_000

/** Inserts an agent that has served these prices since the given number of days ago. */
async function insertVersions(
  versions: readonly (readonly [daysAgo: number, price: string])[],
): Promise<number> {
  const declarations = versions.map(([, price]) => priced(price))
  const given: AgentInserted = { declaration: declarations.at(-1) ?? priced('1') }
  const { agentId } = await insertAgent(stage.database, given)
  await stage.database.query('forget', 'delete from agent_declarations where agent_id = $1', [agentId])
  for (const [index, [daysAgo]] of versions.entries()) {
    await stage.database.query(
      'version',
      `insert into agent_declarations (agent_id, version, read_at, declaration, severity, changes)
       values ($1, $2, $3, $4, 'price', '[]')`,
      [
        agentId,
        index + 1,
        new Date(stage.clock.nowMs() - daysAgo * DAY_MS),
        JSON.stringify(declarations[index]),
      ],
    )
  }
  return agentId
}

function priced(amount: string): Declaration {
  const declaration = sampleDeclaration(`0x${'ab'.repeat(20)}`)
  const capability = declaration.capabilities['count']
  if (capability === undefined) throw new Error('the sample has a capability')
  const pricing = { model: 'per_job', amount, currency: 'USDC' } as const
  return { ...declaration, capabilities: { count: { ...capability, pricing } } }
}

async function read(agentId: number): Promise<AgentPage> {
  const route = agentPageRoutes(stage.parts).find(({ path }) => path === '/v1/agents/:agentId')
  const answer = await route?.handle({
    params: { agentId },
    query: undefined,
    headers: undefined,
    body: undefined,
    caller: { kind: 'anonymous', ip: '127.0.0.1' },
    trace: readTraceparent(undefined),
    signal: new AbortController().signal,
  })
  return agentPage.parse(answer?.body)
}
