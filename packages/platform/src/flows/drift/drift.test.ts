import type { Flow, Step } from '@farebox/flows/document/flow'
import { agentDrift, type AgentDrift } from '@farebox/platform-api/flows/drift'
import type { Capability, Declaration } from '@farebox/protocol/declaration/declaration'
import type { FastifyInstance } from 'fastify'
import { beforeEach, expect, test } from 'vitest'
import { describeCapability } from '../../agent-pages/describe-capability.ts'
import type { AgentRow } from '../../agents/agent-row.ts'
import { insertAgent, sampleDeclaration } from '../../test-setup/database/insert-agent.ts'
import { signedInAs } from '../../test-setup/sign-in.ts'
import { stageApps } from '../../test-setup/stage-apps.ts'
import { flowRoutes } from '../flow-routes.ts'

const apps = stageApps()
const WALLET = `0x${'11'.repeat(20)}`
let app: FastifyInstance
let agent: AgentRow
let owners = 0

beforeEach(async () => {
  await apps.parts.database.query('empty', 'truncate agents, flows cascade')
  app = apps.open(flowRoutes(apps.parts))
  agent = await insertAgent(apps.parts.database, { declaration: declare() })
})

const COUNT: Capability = {
  description: 'Counts words',
  pricing: { model: 'per_job', amount: '0.01', currency: 'USDC' },
  input_schema: {
    text: { type: 'string', required: true, maxLength: 100 },
    speed: { type: 'integer', minimum: 1, maximum: 300 },
  },
  output_schema: { words: { type: 'integer' }, sentences: { type: 'integer' } },
}

function declare(count: Partial<Capability> = {}, others: { [name: string]: Capability } = {}): Declaration {
  return sampleDeclaration(WALLET, { capabilities: { count: { ...COUNT, ...count }, ...others } })
}

/** Stores a flow that counts a text, for a new owner. */
async function keep(name: string, change: (flow: Flow) => Flow = flow => flow): Promise<void> {
  const capability = agent.declaration?.capabilities['count']
  if (capability === undefined) throw new Error('no capability')
  const { hash, price } = await describeCapability('count', capability)
  const { input_schema, output_schema } = capability
  const pinned = {
    agent_name: agent.name,
    hash,
    price,
    max_deadline_seconds: 10,
    input_schema,
    output_schema,
  }
  const count: Step = { kind: 'job', agent_id: agent.agentId, capability: 'count', pinned }
  const flow = change({
    flow_version: 1,
    name,
    inputs: { text: { type: 'string', required: true, maxLength: 100 } },
    outputs: ['words'],
    steps: { count },
    wires: [
      { from: { step: 'input', port: 'text' }, to: { step: 'count', port: 'text' } },
      { from: { step: 'count', port: 'words' }, to: { step: 'output', port: 'words' } },
    ],
  })
  owners += 1
  const headers = await signedInAs(apps.parts, `0x${owners.toString(16).padStart(40, '0')}`)
  const answer = await app.inject({ method: 'POST', url: '/v1/flows', headers, payload: { flow } })
  expect(answer.statusCode, answer.body).toBe(201)
}

/** Adds a constant for the speed. */
const fast = (flow: Flow): Flow => withStep(flow, { constants: { speed: 250 } })

/** Passes the words to the output through a template step. */
function inWords(flow: Flow): Flow {
  return {
    ...flow,
    steps: { ...flow.steps, note: { kind: 'template', text: '{words} words' } },
    outputs: ['note'],
    wires: [
      ...flow.wires.slice(0, 1),
      { from: { step: 'count', port: 'words' }, to: { step: 'note', port: 'words' } },
      { from: { step: 'note', port: 'text' }, to: { step: 'output', port: 'note' } },
    ],
  }
}

function withStep(flow: Flow, more: object): Flow {
  const { count } = flow.steps
  if (count === undefined) throw new Error('no step')
  return { ...flow, steps: { count: { ...count, ...more } } }
}

async function drift(declaration: object): Promise<AgentDrift> {
  const answer = await ask(declaration)
  expect(answer.statusCode, answer.body).toBe(200)
  return agentDrift.parse(answer.json())
}

async function ask(declaration: object, agentId = agent.agentId) {
  return await app.inject({
    method: 'POST',
    url: `/v1/agents/${agentId}/drift`,
    payload: { declaration },
    // A new address for each request, so that the rate limit is not reached.
    remoteAddress: `10.0.0.${(asked += 1)}`,
  })
}
let asked = 0

test('a change that does not affect flows breaks none; an unchanged capability needs no flow to be read', async () => {
  await keep('One')
  await keep('Two')
  expect(await drift(declare({ description: 'Counts all words' }))).toEqual({
    flows: 2,
    changed: [],
    examined: 0,
    affected: 0,
    broken: [],
  })
  const more = { ...COUNT.input_schema, language: { type: 'string' } as const }
  expect(await drift(declare({ input_schema: more }))).toEqual({
    flows: 2,
    changed: [{ capability: 'count', change: 'changed', flows: 2 }],
    examined: 2,
    affected: 0,
    broken: [],
  })
})

test('broken flows are counted by reason, in terms of the agent', async () => {
  await keep('One')
  await keep('Two', fast)
  await keep('Three', inWords)
  const reasons = async (change: Partial<Capability>): Promise<unknown> => {
    const { affected, broken } = await drift(declare(change))
    return [affected, ...broken.map(({ flows, reason }) => `${flows}: ${reason}`)]
  }
  const { text, speed } = COUNT.input_schema
  if (text === undefined || speed === undefined) throw new Error('no field')
  const gives = (words: object): Partial<Capability> => ({
    output_schema: { ...words, sentences: { type: 'integer' } },
  })
  expect(await reasons({ pricing: { ...COUNT.pricing, amount: '0.02' } })).toEqual([
    3,
    '3: it costs 0.02 USDC, 0.01 before',
  ])
  expect(
    await reasons({ input_schema: { text, speed, language: { type: 'string', required: true } } }),
  ).toEqual([3, '3: it requires “language”, which they do not give'])
  expect(await reasons({ input_schema: { content: text, speed } })).toEqual([
    3,
    '3: it requires “content”, which they do not give',
    '3: it takes no “text” any more',
  ])
  expect(await reasons({ input_schema: { text, speed: { type: 'array' } } })).toEqual([
    1,
    '1: what they give it as “speed” never fits any more',
  ])
  expect(await reasons({ input_schema: { text, speed: { ...speed, minimum: 301, maximum: 400 } } })).toEqual([
    1,
    '1: what they give it as “speed” never fits any more',
  ])
  expect(await reasons({ input_schema: { text } })).toEqual([0])
  expect(await reasons({ input_schema: { text: { type: 'array', required: true }, speed } })).toEqual([
    3,
    '3: what they give it as “text” never fits any more',
  ])
  expect(await reasons(gives({}))).toEqual([3, '3: it gives no “words” any more'])
  expect(await reasons(gives({ words: { type: 'array' } }))).toEqual([
    1,
    '1: what it gives does not fit any more where it is led',
  ])
})

test('no declaration reveals a value of a flow', async () => {
  await keep('Constant of the job', flow => secretText({ ...flow, wires: flow.wires.slice(1) }))
  await keep('Led there by steps', flow => ({
    ...flow,
    steps: {
      ...flow.steps,
      key: { kind: 'constant', value: 'sk-Z9', secret: ['value'] },
      way: { kind: 'branch', condition: { is: 'there' } },
      other: { kind: 'branch', condition: { is: 'there' }, constants: { value: 'sk-Z9' } },
      first: { kind: 'first', count: 2 },
    },
    wires: [
      { from: { step: 'key', port: 'value' }, to: { step: 'way', port: 'value' } },
      { from: { step: 'way', port: 'then' }, to: { step: 'first', port: '1' } },
      { from: { step: 'other', port: 'then' }, to: { step: 'first', port: '2' } },
      { from: { step: 'first', port: 'value' }, to: { step: 'count', port: 'text' } },
      ...flow.wires.slice(1),
    ],
  }))
  await keep('Of its own input', flow => ({
    ...flow,
    inputs: { text: { type: 'string', required: true, enum: ['sk-Z9', 'sk-Y8'] } },
  }))
  const { text, speed } = COUNT.input_schema
  if (text === undefined || speed === undefined) throw new Error('no field')
  const guesses: readonly object[] = [
    { pattern: '^sk-' },
    { pattern: '^xx-' },
    { enum: ['sk-Z9'] },
    { enum: ['other'] },
    { minLength: 6, maxLength: 9 },
    { maxLength: 2 },
    { format: 'email' },
  ]
  for (const guess of guesses) {
    const asked = { type: 'string', required: true, ...guess } as const
    expect([guess, (await drift(declare({ input_schema: { text: asked, speed } }))).affected]).toEqual([
      guess,
      0,
    ])
  }
})

function secretText(flow: Flow): Flow {
  return withStep(flow, { constants: { text: 'sk-Z9' }, secret: ['text'] })
}

test('a removed capability breaks all flows that order it, and no others', async () => {
  agent = await insertAgent(apps.parts.database, { declaration: declare({}, { other: COUNT }) })
  await keep('One')
  await keep('Two', flow => withStep(flow, { capability: 'other' }))
  const { capabilities, ...rest } = declare({}, { other: COUNT })
  const { other: _, ...left } = capabilities
  expect(await drift({ ...rest, capabilities: left })).toEqual({
    flows: 2,
    changed: [{ capability: 'other', change: 'gone', flows: 1 }],
    examined: 1,
    affected: 1,
    broken: [{ capability: 'other', flows: 1, reason: 'it is not offered any more' }],
  })
})

test('a flow that could not be run before is not counted as broken by the change', async () => {
  await keep('Unfinished', flow => ({ ...flow, wires: [] }))
  await keep('Whole')
  const { affected, examined } = await drift(declare(gone()))
  expect([affected, examined]).toEqual([1, 2])
})

function gone(): Partial<Capability> {
  return { output_schema: { sentences: { type: 'integer' } } }
}

test('of very many flows a sample is checked, and all are counted', async () => {
  await keep('One')
  await apps.parts.database.query(
    'test-many',
    `with made as (
       insert into flows (flow_id, owner, name, jobs, price_atomic, bytes, saved_from, saved_by, created_at, changed_at)
       select gen_random_uuid(), owner, name, 1, 0, bytes, 'x', saved_by, now(), now()
       from flows, generate_series(1, 700) returning flow_id),
     versions as (
       insert into flow_versions (flow_id, version, began_at, saved_at, name, document, bytes)
       select made.flow_id, 1, now(), now(), name, document, bytes from made, flow_versions)
     insert into flow_capabilities (flow_id, agent_id, capability, hash, price_atomic)
     select made.flow_id, agent_id, capability, hash, price_atomic from made, flow_capabilities`,
  )
  const { flows, examined, affected } = await drift(declare(gone()))
  expect([flows, examined, affected]).toEqual([701, 500, 500])
})

test('the answer names no flow and reveals none of their contents', async () => {
  await keep('Salary talks', inWords)
  const answer = await ask(declare(gone()))
  expect(answer.body).not.toMatch(/Salary|note|0x/)
})

test('an invalid declaration and an unknown agent are refused', async () => {
  const none = await ask({ name: 'x' })
  expect([none.statusCode, none.json<{ error: string }>().error]).toEqual([
    400,
    'declaration: is not a valid declaration',
  ])
  expect((await ask(declare(), 99)).statusCode).toBe(404)
})
