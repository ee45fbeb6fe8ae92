import { readFileSync } from 'node:fs'
import { checkFlow } from '@farebox/flows/check/check-flow'
import type { Flow } from '@farebox/flows/document/flow'
import { readFlow } from '@farebox/flows/document/read-flow'
import { dryRunAnswer, templatesAnswer, type FlowTemplate } from '@farebox/platform-api/flows/saved-flows'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { compileInput } from '@farebox/protocol/fields/compile'
import type { JsonObject } from '@farebox/protocol/fields/field'
import { beforeEach, expect, test } from 'vitest'
import { indexAgent } from '../../listing/index-agent.ts'
import { insertAgent, sampleDeclaration, type AgentInserted } from '../../test-setup/database/insert-agent.ts'
import { stageApps } from '../../test-setup/stage-apps.ts'
import { flowRoutes } from '../flow-routes.ts'
import { OUTLINES } from './outlines.ts'

const apps = stageApps()
const EXAMPLES = ['text-statistics', 'summary', 'qr-code']

beforeEach(async () => {
  await apps.parts.database.query('empty', 'truncate agents cascade')
})

function example(name: string): Declaration {
  const file = new URL(`../../../../../examples/${name}/agent.json`, import.meta.url)
  return JSON.parse(readFileSync(file, 'utf8')) as Declaration
}

async function list(declaration: Declaration, given: AgentInserted = {}): Promise<number> {
  const { database } = apps.parts
  const { agentId } = await insertAgent(database, { declaration, ...given })
  await database.inTransaction(client => indexAgent(client, agentId))
  return agentId
}

async function templates(): Promise<readonly FlowTemplate[]> {
  const answer = await apps.open(flowRoutes(apps.parts)).inject({ url: '/v1/flows/templates' })
  expect(answer.statusCode, answer.body).toBe(200)
  return templatesAnswer.parse(answer.json()).templates
}

async function dryRun(flow: object, input?: object) {
  const payload = { flow, ...(input !== undefined && { input }) }
  const app = apps.open(flowRoutes(apps.parts))
  const answer = await app.inject({ method: 'POST', url: '/v1/flows/dry-run', payload })
  const played = dryRunAnswer.safeParse(answer.json()).data ?? { input: {}, steps: [], output: {} }
  return { statusCode: answer.statusCode, body: answer.body, played }
}

function flowOf({ flow }: Pick<FlowTemplate, 'flow'>): Flow {
  const read = readFlow(flow)
  if (!read.ok) throw new Error(JSON.stringify(read.problems))
  return read.flow
}

test('with the agents of a local economy every template is available and without findings', async () => {
  for (const name of EXAMPLES) await list(example(name))
  const found = await templates()
  expect(found.map(({ template_id: id }) => id)).toEqual(OUTLINES.map(({ id }) => id))
  for (const template of found) {
    const flow = flowOf(template)
    const { findings, price, wires } = checkFlow(flow)
    expect([template.template_id, findings]).toEqual([template.template_id, []])
    expect(wires.map(({ grade }) => grade).filter(grade => grade !== 'same' && grade !== 'safe')).toEqual([])
    expect(template.price).toBe(price.at_most)
    const taken = compileInput(flow.inputs)(template.sample_input as JsonObject)
    expect([template.template_id, taken.ok]).toEqual([template.template_id, true])
  }
})

test('a dry run of every template completes, with its own sample and with a generated one', async () => {
  for (const name of EXAMPLES) await list(example(name))
  for (const { template_id: id, flow, sample_input: sample } of await templates())
    for (const input of [sample, undefined]) {
      const { statusCode, body, played } = await dryRun(flow, input)
      expect([id, statusCode], body).toEqual([id, 200])
      const states = new Set(played.steps.map(({ state }) => state))
      expect([id, states.has('failed'), states.has('waiting')]).toEqual([id, false, false])
      const [first = ''] = flowOf({ flow }).outputs
      expect([id, Object.hasOwn(played.output, first)]).toEqual([id, true])
    }
})

test('a dry run reports the problems of the flow or the input', async () => {
  for (const name of EXAMPLES) await list(example(name))
  const [note] = await templates()
  if (note === undefined) throw new Error('no template')
  const refused = async (flow: object, input?: object): Promise<unknown> => {
    const { statusCode, body } = await dryRun(flow, input)
    return [statusCode, (JSON.parse(body) as { error: string }).error]
  }
  expect(await refused(note.flow, {})).toEqual([400, 'input: text: is required'])
  expect(await refused({ ...note.flow, wires: [] })).toEqual([400, expect.stringMatching(/^flow: /)])
})

test('each template has its agents, its price, and positions for all its steps', async () => {
  for (const name of EXAMPLES) await list(example(name))
  const found = await templates()
  const card = found.find(({ template_id: id }) => id === 'article-card')
  expect([card?.agents, card?.price]).toEqual([['Summary', 'QR code'], '0.015'])
  for (const template of found) {
    const { layout = {}, steps } = flowOf(template)
    expect(Object.keys(layout).toSorted()).toEqual([...Object.keys(steps), 'input', 'output'].toSorted())
    const places = Object.values(layout).map(({ x, y }) => `${x} ${y}`)
    expect(new Set(places).size).toBe(places.length)
  }
})

test('a template is left out when no listed agent can do one of its jobs', async () => {
  await list(example('text-statistics'))
  await list(example('summary'), { isOffline: true })
  await list(example('qr-code'), { provenWallet: null })
  const found = await templates()
  expect(found.map(({ template_id: id }) => id)).toEqual(['reading-note', 'most-used-word', 'count-each'])
})

test('the best agent with suitable schemas does the job, regardless of the case of its capability’s name', async () => {
  const statistics = example('text-statistics')
  const { count, frequent } = statistics.capabilities
  if (count === undefined || frequent === undefined) throw new Error('no capability')
  // The sample agent returns no sentences; the second one requires more inputs than it is given.
  await list(sampleDeclaration('0x'), { badge: 'gold' })
  const input_schema = { ...count.input_schema, language: { type: 'string', required: true } as const }
  const capabilities = { count: { ...count, input_schema } }
  await list({ ...statistics, capabilities }, { badge: 'silver' })
  const suits = await list({ ...statistics, capabilities: { Count: count } }, { badge: 'bronze' })
  await list({ ...statistics, capabilities: { count } })
  const [note] = await templates()
  expect(note && flowOf(note).steps['count']).toMatchObject({ agent_id: suits, capability: 'Count' })
})
