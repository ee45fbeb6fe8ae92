import { sleep } from '@farebox/protocol/time/clock'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { FastifyInstance } from 'fastify'
import { until, untilAborted } from '@farebox/protocol/src/test-setup/until'
import { createApp } from '../app/create-app.ts'
import type { OutboundRequest } from '../outbound/outbound.ts'
import { answersAsDocumented } from '../test-setup/answers-as-documented.ts'
import { insertAgent } from '../test-setup/database/insert-agent.ts'
import { pretendOutbound } from '../test-setup/network/pretend-outbound.ts'
import { signedInAs } from '../test-setup/sign-in.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import { monitorRoutes } from './monitor-routes.ts'
import { startChecks } from './start-checks.ts'
import { startMonitor } from './start-monitor.ts'
import { unwatchAgent, watchAgent } from '../agents/watch-agent.ts'

const OWNER = `0x${'a'.repeat(40)}`
const STRANGER = `0x${'b'.repeat(40)}`
const PATH = '/v1/me/agents/1/webhook'

let stage: Stage
let app: FastifyInstance
let ask: ReturnType<typeof answersAsDocumented>
/**
 * The number of further attempts that are refused, two for each failing check. After that, the agent does not respond
 * until the check is aborted.
 */
let refusals = 0
let isDown = false
let notices: string[] = []

beforeEach(async () => {
  isDown = false
  refusals = Infinity
  notices = []
  stage = await stagePlatform({
    realTime: true,
    outbound: pretendOutbound(request => {
      if (request.method === 'GET') return isDown ? refuse(request) : 'ok'
      notices.push((JSON.parse(request.body ?? '') as { event: string }).event)
      return { status: 204, body: '' }
    }),
    settings: { checkIntervalMs: 200 },
  })
  await insertAgent(stage.database, { agentId: 1, owner: OWNER })
  const routes = monitorRoutes(stage.parts)
  app = createApp(stage.parts, routes)
  ask = answersAsDocumented(app, routes)
})

afterEach(async () => {
  await app.close()
  await stage.close()
})

async function refuse({ signal }: OutboundRequest): Promise<'refuse'> {
  refusals -= 1
  if (refusals < 0) await untilAborted(signal)
  return 'refuse'
}

async function health(): Promise<{ readonly [name: string]: unknown }> {
  const answer = await ask({ url: '/v1/agents/1/health' })
  expect(answer.statusCode).toBe(200)
  return answer.json()
}

/** Runs checks until the agent has this availability. */
async function checkUntil(availability: 'online' | 'offline', warned = false): Promise<void> {
  const monitor = startMonitor(stage.parts)
  try {
    await until(async () => {
      const seen = await health()
      return seen['availability'] === availability && seen['warned'] === warned
    })
  } finally {
    await monitor.stop()
  }
}

test('D33 an agent is shown as waiting, online, online with a warning, offline, and online again', async () => {
  expect(await health()).toMatchObject({
    availability: 'waiting',
    watched_since: null,
    uptime_7d: null,
    timeline: [],
  })
  await stage.database.inTransaction(client => watchAgent(client, 1, Date.now()))
  await checkUntil('online')
  expect(await health()).toMatchObject({
    consecutive_failures: 0,
    uptime_7d: 1,
    latency_p50_ms: 7,
    last_failure: null,
  })
  isDown = true
  refusals = 6
  await checkUntil('online', true)
  refusals = Infinity
  await checkUntil('offline')
  const down = await health()
  expect(down['last_failure']).toBe('unreachable')
  expect(down['uptime_7d']).toBeGreaterThan(0)
  expect(down['uptime_7d']).toBeLessThan(1)
  expect(down['uptime_30d']).toBe(down['uptime_7d'])
  isDown = false
  await checkUntil('online')
})

test('an agent that is no longer monitored is not checked, and keeps its failure count until it is monitored again', async () => {
  const watch = (): Promise<void> => stage.database.inTransaction(client => watchAgent(client, 1, Date.now()))
  isDown = true
  refusals = 6
  await watch()
  await checkUntil('online', true)
  const failures = (await health())['consecutive_failures']
  refusals = Infinity
  await stage.database.inTransaction(client => unwatchAgent(client, 1))
  const checked: number[] = []
  const checks = startChecks(stage.parts, { onStart: ({ agentId }) => void checked.push(agentId) })
  await sleep(stage.parts.clock, 600)
  await checks.stop()
  expect(checked).toEqual([])
  expect((await health())['consecutive_failures']).toBe(failures)
  await watch()
  await watch()
  await checkUntil('offline')
})

test('an owner gets one notice each when an agent is failing, offline, and back', async () => {
  const payload = { url: 'https://owner.example/hook' }
  await ask({ method: 'PUT', url: PATH, headers: await signedInAs(stage.parts, OWNER), payload })
  await stage.database.inTransaction(client => watchAgent(client, 1, Date.now()))
  const monitor = startMonitor(stage.parts)
  try {
    await until(async () => (await health())['availability'] === 'online')
    isDown = true
    await until(async () => Number((await health())['consecutive_failures']) >= 7)
    isDown = false
    await until(async () => (await health())['availability'] === 'online')
    await until(() => notices.length >= 3)
  } finally {
    await monitor.stop()
  }
  expect(notices.toSorted()).toEqual(['agent.back', 'agent.offline', 'agent.warned'])
})

test('an agent without a page has no health endpoint', async () => {
  expect((await ask({ url: '/v1/agents/2/health' })).statusCode).toBe(404)
  expect((await ask({ url: '/v1/agents/0/health' })).statusCode).toBe(400)
  expect((await ask({ url: '/v1/agents/1/health?days=36' })).statusCode).toBe(400)
  await stage.database.pool.query(`update agents set standing = 'taken-down'`)
  expect((await ask({ url: '/v1/agents/1/health' })).statusCode).toBe(404)
})

test('only the owner of an agent can set, read and remove its webhook', async () => {
  const headers = await signedInAs(stage.parts, OWNER)
  expect((await ask({ url: PATH, headers })).statusCode).toBe(404)
  const body = { url: 'http://127.0.0.1:3999/hook?token=7' }
  const made = await ask({ method: 'PUT', url: PATH, headers, payload: body })
  expect(made.statusCode).toBe(200)
  const { secret } = made.json<{ secret: string }>()
  expect(secret).toMatch(/^whsec_[\w-]{43}$/)
  const read = await ask({ url: PATH, headers })
  expect(read.json()).toMatchObject({ agent_id: 1, ...body, last_delivery: null })
  expect(read.body).not.toContain(secret)

  const stranger = await signedInAs(stage.parts, STRANGER)
  for (const method of ['GET', 'DELETE'] as const) {
    expect((await ask({ method, url: PATH, headers: stranger })).statusCode).toBe(404)
  }
  expect((await ask({ method: 'PUT', url: PATH, headers: stranger, payload: body })).statusCode).toBe(404)
  expect((await ask({ url: PATH })).statusCode).toBe(401)

  expect((await ask({ method: 'DELETE', url: PATH, headers })).statusCode).toBe(204)
  expect((await ask({ method: 'DELETE', url: PATH, headers })).statusCode).toBe(404)
})

test('D37 a webhook cannot have a URL that the outbound guard refuses', async () => {
  const headers = await signedInAs(stage.parts, OWNER)
  for (const url of [
    'http://agents.example/',
    'https://10.0.0.1/',
    'https://db.internal/',
    'ftp://a.example/',
  ]) {
    const refused = await ask({ method: 'PUT', url: PATH, headers, payload: { url } })
    expect(refused.statusCode, url).toBe(400)
    expect(refused.json()).toMatchObject({ status: 'failed', error_type: 'validation' })
  }
})
