import type { Flow, JobStep, Step } from '@farebox/flows/document/flow'
import {
  flowConflict,
  flowsAnswer,
  flowVersions,
  savedFlow,
  type FlowsAnswer,
  type SavedFlow,
} from '@farebox/platform-api/flows/saved-flows'
import { createManualClock } from '@farebox/protocol/src/test-setup/manual-clock'
import type { LightMyRequestResponse } from 'fastify'
import { beforeEach, expect, test } from 'vitest'
import { describeCapability } from '../../agent-pages/describe-capability.ts'
import { insertAgent, sampleDeclaration } from '../../test-setup/database/insert-agent.ts'
import { signedInAs } from '../../test-setup/sign-in.ts'
import { stageApps } from '../../test-setup/stage-apps.ts'
import { flowRoutes } from '../flow-routes.ts'

const clock = createManualClock()
const apps = stageApps({ clock })
const ADA = `0x${'ad'.repeat(20)}`
const BOB = `0x${'b0'.repeat(20)}`
let headers: { readonly authorization: string }
let others: { readonly authorization: string }
let inject: ReturnType<typeof apps.open>['inject']

beforeEach(async () => {
  await apps.parts.database.query('empty', 'truncate agents, flows cascade')
  const app = apps.open(flowRoutes(apps.parts))
  inject = app.inject.bind(app)
  headers = await signedInAs(apps.parts, ADA)
  others = await signedInAs(apps.parts, BOB)
})

const EMPTY: Flow = { flow_version: 1, name: 'Empty', inputs: {}, outputs: [], steps: {}, wires: [] }

/** A flow that counts the words of a text with a listed agent, pinned with its current terms. */
async function counting(name = 'Count', steps: { readonly [id: string]: Step } = {}): Promise<Flow> {
  const agent = await insertAgent(apps.parts.database)
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
  const count: JobStep = { kind: 'job', agent_id: agent.agentId, capability: 'count', pinned }
  return {
    ...EMPTY,
    name,
    inputs: { text: { type: 'string', required: true, maxLength: 100 } },
    outputs: ['words'],
    steps: { count, ...steps },
    wires: [
      { from: { step: 'input', port: 'text' }, to: { step: 'count', port: 'text' } },
      { from: { step: 'count', port: 'words' }, to: { step: 'output', port: 'words' } },
    ],
  }
}

async function create(flow: unknown): Promise<SavedFlow> {
  const answer = await inject({ method: 'POST', url: '/v1/flows', headers, payload: { flow } })
  expect(answer.statusCode, answer.body).toBe(201)
  clock.pass(3_000)
  return savedFlow.parse(answer.json())
}

async function save(
  { flow_id }: SavedFlow,
  revision: number,
  flow: unknown,
  as = headers,
): Promise<LightMyRequestResponse> {
  clock.pass(1_000)
  return await inject({
    method: 'PUT',
    url: `/v1/flows/${flow_id}`,
    headers: as,
    payload: { flow, revision },
  })
}

async function read(path: string, as = headers): Promise<LightMyRequestResponse> {
  return await inject({ url: `/v1/flows/${path}`, headers: as })
}

async function list(query = ''): Promise<FlowsAnswer> {
  const answer = await inject({ url: `/v1/flows${query}`, headers })
  expect(answer.statusCode, answer.body).toBe(200)
  return flowsAnswer.parse(answer.json())
}

test('a stored flow is returned unchanged, with fields and steps in their order', async () => {
  const flow = {
    ...(await counting('Count', {
      b: { kind: 'constant', value: { z: 1, a: null } },
      a: { kind: 'to-number' },
    })),
    layout: { count: { x: 260, y: 0 } },
  }
  const made = await create(flow)
  expect(made).toMatchObject({ name: 'Count', revision: 1, version: 1, share_id: null })
  const again = savedFlow.parse((await read(made.flow_id)).json())
  expect(JSON.stringify(again.flow)).toBe(JSON.stringify(flow))
  expect(again).toEqual(made)
})

test('a flow that cannot be run is stored; an invalid one is refused with its field', async () => {
  const flow = await counting()
  const broken = { ...flow, wires: [{ from: { step: 'gone', port: 'x' }, to: { step: 'count', port: 'y' } }] }
  expect((await create(broken)).flow['wires']).toEqual(broken.wires)
  const refused = async (given: unknown): Promise<unknown> => {
    const answer = await inject({ method: 'POST', url: '/v1/flows', headers, payload: { flow: given } })
    return [answer.statusCode, answer.json<{ error: string }>().error]
  }
  expect(await refused({ ...flow, inputs: { text: { type: 'words' } } })).toEqual([
    400,
    expect.stringMatching(/^flow: inputs\.text\.type: /),
  ])
  expect(await refused({ ...flow, name: '' })).toEqual([400, expect.stringMatching(/^flow\.name: /)])
  expect(await refused({ ...flow, name: 'a\0b' })).toEqual([
    400,
    'flow.name: has a character that cannot be kept (U+0000)',
  ])
  const said = { ...flow.steps, said: { kind: 'constant', value: [{ '\ud800': 1 }] } }
  expect(await refused({ ...flow, steps: said })).toEqual([
    400,
    'flow.steps.said.value[0].?: has a character that cannot be kept (U+D800)',
  ])
  expect((await list()).flows).toHaveLength(1)
})

test('a save based on an old revision is refused, with the session and time of the newer one', async () => {
  const made = await create(EMPTY)
  expect((await save(made, 1, { ...EMPTY, name: 'First' })).statusCode).toBe(200)
  const same = flowConflict.parse((await save(made, 1, EMPTY)).json())
  expect(same).toMatchObject({ error_type: 'conflict', revision: 2, changed_by: 'this session' })
  const elsewhere = await signedInAs(apps.parts, ADA)
  const answer = await save(made, 1, EMPTY, elsewhere)
  expect(answer.statusCode).toBe(409)
  expect(flowConflict.parse(answer.json())).toMatchObject({ revision: 2, changed_by: 'another session' })
  const kept = savedFlow.parse((await read(made.flow_id)).json())
  expect([kept.name, kept.revision, kept.changed_at]).toEqual(['First', 2, same.changed_at])
})

test('of concurrent saves one succeeds, and the others get a conflict', async () => {
  const made = await create(EMPTY)
  const answers = await Promise.all(['One', 'Two', 'Three'].map(name => save(made, 1, { ...EMPTY, name })))
  expect(answers.map(({ statusCode }) => statusCode).toSorted((one, other) => one - other)).toEqual([
    200, 409, 409,
  ])
})

test('saves within ten minutes are one version, and earlier versions can be read', async () => {
  const made = await create({ ...EMPTY, name: 'A' })
  await save(made, 1, { ...EMPTY, name: 'B' })
  clock.pass(590_000)
  await save(made, 2, { ...EMPTY, name: 'C' })
  clock.pass(590_000)
  const last = savedFlow.parse((await save(made, 3, { ...EMPTY, name: 'D' })).json())
  expect([last.revision, last.version]).toEqual([4, 2])
  const { versions } = flowVersions.parse((await read(`${made.flow_id}/versions`)).json())
  expect(versions.map(({ version, name }) => [version, name])).toEqual([
    [2, 'D'],
    [1, 'C'],
  ])
  const first = savedFlow.parse((await read(`${made.flow_id}?version=1`)).json())
  expect([first.name, first.flow['name'], first.revision]).toEqual(['C', 'C', 4])
  expect((await read(`${made.flow_id}?version=3`)).statusCode).toBe(404)
})

test('a hundred versions are kept, and fewer of large flows', async () => {
  const made = await create(EMPTY)
  for (let revision = 1; revision <= 102; revision += 1) {
    clock.pass(600_000)
    await save(made, revision, EMPTY)
  }
  const kept = async (): Promise<readonly number[]> =>
    flowVersions.parse((await read(`${made.flow_id}/versions`)).json()).versions.map(({ version }) => version)
  expect([(await kept()).length, (await kept()).at(-1)]).toEqual([100, 4])
  const large = { ...EMPTY, steps: { text: { kind: 'constant', value: 'x'.repeat(1_000_000) } } }
  for (let revision = 103; revision <= 121; revision += 1) {
    clock.pass(600_000)
    expect((await save(made, revision, large)).statusCode).toBe(200)
  }
  expect(await kept()).toHaveLength(16)
})

test('the number and size of flows of one owner are limited', async () => {
  await apps.parts.database.query(
    'test-fill',
    `insert into flows (flow_id, owner, name, jobs, price_atomic, bytes, saved_from, saved_by, created_at, changed_at)
     select gen_random_uuid(), $1, 'x', 0, 0, 134000, 'x', gen_random_uuid(), now(), now() from generate_series(1, 499)`,
    [ADA],
  )
  const made = await create(EMPTY)
  const more = await inject({ method: 'POST', url: '/v1/flows', headers, payload: { flow: EMPTY } })
  expect([more.statusCode, more.json<{ error: string }>().error]).toEqual([
    409,
    'flow: 500 are kept for you already: delete some',
  ])
  const large = { ...EMPTY, steps: { text: { kind: 'constant', value: 'x'.repeat(900_000) } } }
  const answer = await save(made, 1, large)
  expect([answer.statusCode, answer.json<{ error: string }>().error]).toEqual([
    429,
    'flow: your flows and their versions take 64 MB already: delete some',
  ])
  expect(savedFlow.parse((await read(made.flow_id)).json()).revision).toBe(1)
})

test('deleting a flow deletes all its data', async () => {
  const made = await create(await counting())
  const remove = async (): Promise<number> =>
    (await inject({ method: 'DELETE', url: `/v1/flows/${made.flow_id}`, headers })).statusCode
  expect(await remove()).toBe(204)
  expect(await remove()).toBe(404)
  const left = await apps.parts.database.query(
    'test-left',
    'select (select count(*)::int from flow_versions) as versions, (select count(*)::int from flow_capabilities) as orders',
  )
  expect(left).toEqual([{ versions: 0, orders: 0 }])
})

test('the list has the newest change first, in pages, with paid steps and price', async () => {
  const flow = await counting('Mapped')
  const step = flow.steps['count']
  if (step?.kind !== 'job') throw new Error('no job')
  const mapped = await create({
    ...flow,
    steps: { ...flow.steps, each: { ...step, map: { port: 'text', most: 5 } } },
  })
  const empty = await create(EMPTY)
  await create({ ...EMPTY, name: 'Newest' })
  await save(empty, 1, { ...EMPTY, name: 'Changed' })
  expect((await list()).flows.map(({ name, jobs, price }) => [name, jobs, price])).toEqual([
    ['Changed', 0, '0'],
    ['Newest', 0, '0'],
    ['Mapped', 2, '0.06'],
  ])
  const first = await list('?limit=2')
  const rest = await list(`?limit=2&cursor=${first.next_cursor ?? ''}`)
  expect([first.flows.length, rest.flows.map(({ flow_id: id }) => id), rest.next_cursor]).toEqual([
    2,
    [mapped.flow_id],
    null,
  ])
  expect((await inject({ url: '/v1/flows', headers: others })).json()).toEqual({
    flows: [],
    next_cursor: null,
  })
  expect((await inject({ url: '/v1/flows?cursor=x', headers })).statusCode).toBe(400)
})

test('a flow is broken when a capability it orders is gone, closed, more expensive or no longer fits', async () => {
  const { database } = apps.parts
  const flow = await counting()
  await create(flow)
  await create({ ...flow, name: 'Unfinished', wires: [] })
  const states = async (): Promise<unknown> =>
    Object.fromEntries((await list()).flows.map(({ name, broken }) => [name, broken]))
  const declare = async (changes: object): Promise<void> => {
    const { count } = sampleDeclaration('0x').capabilities
    if (count === undefined) throw new Error('no capability')
    await database.query('test-declare', 'update agents set declaration = $1', [
      JSON.stringify(sampleDeclaration('0x', { capabilities: { count: { ...count, ...changes } } })),
    ])
  }
  expect(await states()).toEqual({ Count: false, Unfinished: false })
  // A change does not break a flow that was never finished.
  await declare({
    description: 'Counts all words',
    output_schema: { words: { type: 'integer', minimum: 0 } },
  })
  expect(await states()).toEqual({ Count: false, Unfinished: false })
  await declare({ output_schema: { number: { type: 'integer' } } })
  expect(await states()).toEqual({ Count: true, Unfinished: false })
  await declare({ pricing: { model: 'per_job', amount: '0.02', currency: 'USDC' } })
  expect(await states()).toEqual({ Count: true, Unfinished: true })
  await declare({ pricing: { model: 'per_job', amount: '0.005', currency: 'USDC' } })
  expect(await states()).toEqual({ Count: false, Unfinished: false })
  await database.query('test-offline', 'update agents set is_offline = true')
  expect(await states()).toEqual({ Count: false, Unfinished: false })
  await database.query('test-closed', 'update agents set proven_wallet = null')
  expect(await states()).toEqual({ Count: true, Unfinished: true })
  await database.query('test-gone', 'truncate agents cascade')
  expect(await states()).toEqual({ Count: true, Unfinished: true })
})

test('a page of the list ends when its flows order from more agents than are checked together', async () => {
  const flow = await counting()
  const step = flow.steps['count']
  if (step?.kind !== 'job') throw new Error('no job')
  for (const first of [1_000, 2_000, 3_000]) {
    const steps = Array.from({ length: 90 }, (_, index) => [
      `s${index}`,
      { ...step, agent_id: first + index },
    ])
    await create({ ...EMPTY, name: `From ${first}`, steps: Object.fromEntries(steps) as Flow['steps'] })
  }
  const page = await list()
  expect(page.flows.map(({ name, broken }) => [name, broken])).toEqual([
    ['From 3000', true],
    ['From 2000', true],
  ])
  const rest = await list(`?cursor=${page.next_cursor ?? ''}`)
  expect([rest.flows.map(({ name }) => name), rest.next_cursor]).toEqual([['From 1000'], null])
})
