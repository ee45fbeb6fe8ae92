import type { Flow, JobStep } from '@farebox/flows/document/flow'
import { flowChecked, type FlowChecked } from '@farebox/platform-api/flows/flow-check'
import type { FastifyInstance } from 'fastify'
import { beforeEach, expect, test } from 'vitest'
import { insertAgent, sampleDeclaration, type AgentInserted } from '../test-setup/database/insert-agent.ts'
import { stageApps } from '../test-setup/stage-apps.ts'
import { describeCapability } from '../agent-pages/describe-capability.ts'
import { flowRoutes } from './flow-routes.ts'

const apps = stageApps()
let app: FastifyInstance

beforeEach(async () => {
  await apps.parts.database.query('empty', 'truncate agents cascade')
  app = apps.open(flowRoutes(apps.parts))
})

/** A flow that counts the words of a text with one agent, pinned to its current state. */
async function flowWith(given: AgentInserted = {}): Promise<Flow> {
  const agent = await insertAgent(apps.parts.database, given)
  const [[name, capability] = []] = Object.entries(agent.declaration?.capabilities ?? {})
  if (name === undefined || capability === undefined) throw new Error('no capability')
  const { hash, price } = await describeCapability(name, capability)
  const step: JobStep = {
    kind: 'job',
    agent_id: agent.agentId,
    capability: name,
    pinned: {
      agent_name: agent.name,
      hash,
      price,
      max_deadline_seconds: agent.declaration?.max_deadline_seconds ?? 0,
      input_schema: capability.input_schema,
      output_schema: capability.output_schema,
    },
  }
  const [output = ''] = Object.keys(capability.output_schema)
  return {
    flow_version: 1,
    name: 'Count',
    inputs: { text: { type: 'string', required: true, maxLength: 100 } },
    outputs: ['result'],
    steps: { count: step },
    wires: [
      { from: { step: 'input', port: 'text' }, to: { step: 'count', port: 'text' } },
      { from: { step: 'count', port: output }, to: { step: 'output', port: 'result' } },
    ],
  }
}

async function ask(flow: unknown): Promise<{ readonly status: number; readonly body: unknown }> {
  const answer = await app.inject({ method: 'POST', url: '/v1/flows/check', payload: { flow } })
  return { status: answer.statusCode, body: answer.json() }
}

async function check(flow: Flow): Promise<FlowChecked> {
  const { status, body } = await ask(flow)
  expect(status, JSON.stringify(body)).toBe(200)
  return flowChecked.parse(body)
}

test('a flow of listed agents has a price and no errors', async () => {
  const checked = await check(await flowWith())
  expect(checked).toMatchObject({
    ok: true,
    findings: [],
    price: { at_least: '0.01', at_most: '0.01' },
    wires: [{ grade: 'same' }, { grade: 'same' }],
  })
  expect(checked.input_schema).toEqual({ text: { type: 'string', required: true, maxLength: 100 } })
})

test('an agent that is offline, closed or gone is an error at its step', async () => {
  const messageOf = async (flow: Flow): Promise<string | undefined> =>
    (await check(flow)).findings[0]?.message
  expect(await messageOf(await flowWith({ isOffline: true }))).toBe(
    'Word counter is offline: it did not answer its last checks.',
  )
  expect(await messageOf(await flowWith({ provenWallet: null }))).toMatch(
    /^Word counter is not accepting jobs: Its wallet is not/,
  )
  const flow = await flowWith({ standing: 'taken-down' })
  expect(await messageOf(flow)).toBe('Word counter no longer offers “count”.')
  await apps.parts.database.query('empty', 'truncate agents cascade')
  expect(await messageOf(flow)).toBe('Word counter no longer offers “count”.')
})

test('a price that rose since the flow was created must be accepted again', async () => {
  const flow = await flowWith()
  const { count } = sampleDeclaration('0x').capabilities
  if (count === undefined) throw new Error('no capability')
  const dearer = { ...count, pricing: { ...count.pricing, amount: '0.02' } }
  await apps.parts.database.query('test-dearer', 'update agents set declaration = $1', [
    JSON.stringify(sampleDeclaration('0x', { capabilities: { count: dearer } })),
  ])
  const { ok, findings } = await check(flow)
  expect([ok, findings[0]?.message, findings[0]?.repairs[0]?.label]).toEqual([
    false,
    'The price has risen: 0.01 → 0.02 USDC.',
    'Accept 0.02 USDC',
  ])
})

test('an invalid flow is refused with the field and the reason', async () => {
  expect(await ask({ flow_version: 2 })).toMatchObject({
    status: 400,
    body: { status: 'failed', error_type: 'validation' },
  })
  const flow = await flowWith()
  const { status, body } = await ask({ ...flow, inputs: { text: { type: 'words' } } })
  expect(status).toBe(400)
  expect(body).toMatchObject({ error: expect.stringMatching(/^flow: inputs\.text\.type: /) as unknown })
})
