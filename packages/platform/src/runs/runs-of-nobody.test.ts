import type { Flow } from '@farebox/flows/document/flow'
import { until } from '@farebox/protocol/src/test-setup/until'
import type { FastifyInstance } from 'fastify'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createApp } from '../app/create-app.ts'
import type { Background } from '../work/loop.ts'
import { answersAsDocumented } from '../test-setup/answers-as-documented.ts'
import { flowOf, runsThrough, type RunsByHand } from '../test-setup/runs/run-flows.ts'
import { makeWallet, signedInAs } from '../test-setup/sign-in.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import { startRuns } from './drive/start-runs.ts'
import { deleteOldRuns } from './records/delete-runs.ts'
import { runsRoutes } from './runs-routes.ts'

const TOKEN = 'an-operator-token-of-tests'
const OPERATOR = { authorization: `Bearer ${TOKEN}` }
const MINUTE_MS = 60_000
const MEBIBYTE = 1_048_576

let stage: Stage
let app: FastifyInstance
let ask: ReturnType<typeof answersAsDocumented>
let runs: RunsByHand
let driving: Background | undefined

beforeEach(async () => {
  stage = await stagePlatform({ settings: { operatorToken: TOKEN } })
  const routes = runsRoutes(stage.parts)
  app = createApp(stage.parts, routes)
  await app.ready()
  ask = answersAsDocumented(app, routes)
  runs = runsThrough(ask)
})
afterEach(async () => {
  stage.clock.pass(MINUTE_MS)
  await driving?.stop()
  driving = undefined
  await app.close()
  await stage.close()
})

/** A flow that waits a second repeatedly, beside a text that is copied until it no longer fits. */
function clockwork(text: string): Flow {
  const waits = Array.from({ length: 90 }, (_, at) => [`wait${at}`, { kind: 'wait', seconds: 1 }] as const)
  const copies = Array.from(
    { length: 20 },
    (_, at) => [`copy${at}`, { kind: 'template', text: '{x}' }] as const,
  )
  const flow = flowOf(Object.fromEntries([...waits, ...copies]), [
    ...copies.map(([id]) => `input.text > ${id}.x`),
    ...waits.slice(1).map(([id], at) => `wait${at}.value > ${id}.value`),
    'wait89.value > output.last',
  ])
  const first = flow.steps['wait0']
  if (first === undefined) throw new Error('no wait')
  return {
    ...flow,
    inputs: { text: { type: 'string', required: true, maxLength: text.length } },
    steps: { ...flow.steps, wait0: { ...first, constants: { value: 'x' } } },
  }
}

const sizes = async (): Promise<readonly { readonly characters: number; readonly revision: number }[]> =>
  await stage.database.query(
    'sizes-of-runs',
    'select octet_length(state) as characters, revision::int as revision from runs',
    [],
  )

/** Lets a second pass, and waits until the work due by then is done. */
async function passSecond(): Promise<void> {
  stage.clock.pass(1_000)
  await until(async () => {
    stage.clock.pass(10)
    const [row] = await stage.database.query<{ due: number }>(
      'due-runs',
      `select count(*)::int as due from runs where due_at <= $1 or lease_until > $1`,
      [new Date(stage.clock.nowMs())],
    )
    return row?.due === 0
  })
}

test('attack 28: runs of waits alone, started with a megabyte each, neither grow sevenfold nor are fully written every second', async () => {
  driving = startRuns(stage.parts, { pollMs: 50 })
  const text = 'x'.repeat(MEBIBYTE - 100_000)
  const flow = clockwork(text)
  const started = []
  for (let count = 0; count < 7; count += 1) {
    started.push(await runs.start(flow, { input: { text } }))
    // Starts are writes as well, and count towards the same rate.
    stage.clock.pass(20_000)
  }
  await passSecond()
  const given = text.length + JSON.stringify(flow).length
  for (const { characters } of await sizes()) {
    expect(characters).toBeGreaterThan(given)
    expect(characters).toBeLessThan(65_536 + 2 * given + 20_000)
  }
  const before = await sizes()
  const beganMs = stage.clock.nowMs()
  for (let second = 0; second < 80; second += 1) await passSecond()
  const seconds = (stage.clock.nowMs() - beganMs) / 1_000
  const after = await sizes()
  const writes = after.reduce((sum, { revision }) => sum + revision, 0)
  const writesBefore = before.reduce((sum, { revision }) => sum + revision, 0)
  const written = (writes - writesBefore) * (after[0]?.characters ?? 0)
  // Each of the seven may be driven once before the limit applies.
  expect(written).toBeLessThan((seconds * MEBIBYTE) / 4 + 8 * (after[0]?.characters ?? 0))
  expect(writes).toBeGreaterThan(writesBefore)

  // Pausing and resuming also write the whole run, and so does starting another.
  const [first] = started
  const codes = []
  for (let count = 0; count < 40; count += 1)
    codes.push((await first?.tell(count % 2 === 0 ? 'pause' : 'resume'))?.status)
  expect(codes.slice(0, 2)).toEqual([200, 200])
  expect(codes.filter(code => code === 200).length).toBeLessThan(8)
  expect(codes.at(-1)).toBe(429)
  await expect(
    (async () => {
      for (let count = 0; count < 10; count += 1) await runs.start(flow, { input: { text } })
    })(),
  ).rejects.toThrow('HTTP 429')
})

test('small runs wake at their requested times', async () => {
  driving = startRuns(stage.parts, { pollMs: 50 })
  await runs.start(clockwork('text'), { input: { text: 'text' } })
  for (let second = 0; second < 10; second += 1) await passSecond()
  const [run] = await sizes()
  expect(run?.revision).toBeGreaterThanOrEqual(10)
})

test('a run without a payment and without an account is deleted after an hour, as its answer states', async () => {
  const nobodys = await runs.start(clockwork('text'), { input: { text: 'text' } })
  const account = await signedInAs(stage.parts, makeWallet(stage.parts.crypto).address)
  const payload = { flow: clockwork('text'), input: { text: 'text' }, max_total: '1', payments: [] }
  const owned = await ask({ method: 'POST', url: '/v1/runs', headers: account, payload })
  expect(owned.json()).toMatchObject({ kept_until: null })
  expect((await nobodys.read()).kept_until).toBe(stage.clock.nowMs() / 1_000 + 3_600)
  stage.clock.pass(59 * MINUTE_MS)
  expect(await deleteOldRuns(stage.database, stage.clock.nowMs())).toBe(0)
  stage.clock.pass(2 * MINUTE_MS)
  expect(await deleteOldRuns(stage.database, stage.clock.nowMs())).toBe(1)
  expect(await sizes()).toHaveLength(1)
})

test('the operator sees the largest runs without a payment, and deletes one', async () => {
  await runs.start(clockwork('text'), { input: { text: 'text' } })
  const text = 'x'.repeat(50_000)
  await runs.start(clockwork(text), { input: { text } })
  const listed = await ask({ method: 'GET', url: '/v1/operator/runs', headers: OPERATOR })
  const [large, small] = listed.json<{
    runs: { run_id: string; characters: number; started_from: string }[]
  }>().runs
  expect(large?.characters).toBeGreaterThan(50_000)
  expect(small?.characters).toBeLessThan(large?.characters ?? 0)
  expect(small?.started_from).toBe(large?.started_from)
  const url = `/v1/operator/runs/${large?.run_id ?? ''}`
  for (const headers of [{}, await signedInAs(stage.parts, makeWallet(stage.parts.crypto).address)])
    expect((await ask({ method: 'DELETE', url, headers })).statusCode).toBeGreaterThanOrEqual(401)
  expect((await ask({ method: 'DELETE', url, headers: OPERATOR })).statusCode).toBe(204)
  expect((await ask({ method: 'DELETE', url, headers: OPERATOR })).statusCode).toBe(409)
  expect(await sizes()).toHaveLength(1)
  const audit = await stage.database.query(
    'audit-of-runs',
    'select actor, action, subject from audit_events',
    [],
  )
  expect(audit).toEqual([{ actor: 'operator', action: 'run-deleted', subject: `run ${large?.run_id ?? ''}` }])
})
