import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import {
  registrationFailure,
  type RegistrationCheck,
  type RegistrationFailure,
} from '@farebox/platform-api/registration/registration-check'
import { registration, type Registration } from '@farebox/platform-api/registry'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createApp } from '../app/create-app.ts'
import { lieAt, moveIn, startSite, type AgentSite } from '../test-setup/network/agent-site.ts'
import { answersAsDocumented, readEvents } from '../test-setup/answers-as-documented.ts'
import { insertAgent } from '../test-setup/database/insert-agent.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import { registryRoutes } from './registry-routes.ts'

const WALLET = `0x${'70'.repeat(20)}`
const ALL = [
  'endpoint',
  'unclaimed',
  'health',
  'about',
  'health_name',
  'dev_mode_off',
  'payment_required',
  'network',
  'price',
  'wallet',
]

let stage: Stage
let app: FastifyInstance
let ask: ReturnType<typeof answersAsDocumented>
let site: AgentSite

beforeEach(async () => {
  stage = await stagePlatform({ realTime: true })
  const routes = registryRoutes(stage.parts)
  app = createApp(stage.parts, routes)
  ask = answersAsDocumented(app, routes)
  site = await startSite()
})
afterEach(async () => {
  await app.close()
  await site.close()
  await stage.close()
})

let callers = 0
async function open(headers: object = {}, endpoint = site.url): Promise<LightMyRequestResponse> {
  callers += 1
  const remoteAddress = `198.51.100.${callers}`
  const request = { method: 'POST', url: '/v1/registrations', remoteAddress, payload: { endpoint } } as const
  return await ask({ ...request, headers: { ...headers } })
}

const streamed = async (endpoint?: string): Promise<ReturnType<typeof readEvents>> =>
  readEvents((await open({ accept: 'text/event-stream' }, endpoint)).body)

async function refusedChecks(): Promise<readonly RegistrationCheck[]> {
  const answer = await open()
  expect(answer.statusCode).toBe(400)
  return answer.json<RegistrationFailure>().checks ?? []
}

test('a registration has every check that was made, with the time of each request, and stores them', async () => {
  await moveIn(site, { wallet: WALLET })
  const made = (await open()).json<Registration>()
  expect(made.checks.map(({ name, ok, fix }) => [name, ok, fix])).toEqual(ALL.map(name => [name, true, null]))
  expect(made.checks.filter(({ ms }) => ms !== null).map(({ name }) => name)).toEqual([
    'health',
    'about',
    'dev_mode_off',
    'payment_required',
    'network',
    'price',
    'wallet',
  ])
  const network = made.checks.find(({ name }) => name === 'network')
  expect(network?.detail).toBe('It takes payments on the local chain (as Base Sepolia, 84532)')
  const read = await ask({ method: 'GET', url: `/v1/registrations/${made.registration_id}` })
  expect(read.json<Registration>().checks).toEqual(made.checks)
  const seen = site.seen.length
  expect((await open()).json<Registration>().checks).toEqual(made.checks)
  expect(site.seen.length, 'nothing is asked again within a minute').toBe(seen)
})

test('as events, each check is sent as it ends, then the registration', async () => {
  await moveIn(site, { wallet: WALLET })
  const events = await streamed()
  expect(events.map(({ event }) => event)).toEqual([...ALL.map(() => 'check'), 'registration'])
  const { checks, registration_id: id } = registration.parse(events.at(-1)?.data)
  expect(events.slice(0, -1).map(({ data }) => data)).toEqual(checks)
  // Then once more from the stored checks.
  const again = await streamed()
  expect(again.map(({ data }) => data).slice(0, -1)).toEqual(checks)
  expect(registration.parse(again.at(-1)?.data).registration_id).toBe(id)
})

test('a check is sent before the next one begins', async () => {
  await moveIn(site, { wallet: WALLET })
  let letGo: () => void = () => undefined
  const held = new Promise<void>(resolve => (letGo = resolve))
  const honest = site.answer
  site.answer = async request => {
    if (request.url.endsWith('/about')) await held
    return (await honest?.(request)) ?? new Response()
  }
  const base = await app.listen({ port: 0, host: '127.0.0.1' })
  const headers = { accept: 'text/event-stream', 'content-type': 'application/json' }
  const body = JSON.stringify({ endpoint: site.url })
  const answer = await fetch(`${base}/v1/registrations`, { method: 'POST', headers, body })
  const reader = answer.body?.getReader()
  let text = ''
  const readOn = async (): Promise<void> => {
    text += new TextDecoder().decode((await reader?.read())?.value)
  }
  while (!text.includes('"name":"health"')) await readOn()
  expect(text).not.toContain('"name":"about"')
  letGo()
  while (!text.includes('event: registration')) await readOn()
})

test('a refused endpoint gets the expected and the actual result, a fix, and the checks that passed before', async () => {
  await moveIn(site, { wallet: WALLET, devMode: true })
  const checks = await refusedChecks()
  expect(checks.map(({ name, ok }) => [name, ok])).toEqual([
    ...ALL.slice(0, 5).map(name => [name, true]),
    ['dev_mode_off', false],
  ])
  expect(checks.at(-1)).toEqual({
    name: 'dev_mode_off',
    ok: false,
    severity: 'required',
    detail:
      'POST /execute without a payment: answers unpaid jobs: dev mode is on, or nothing asks for payment',
    ms: expect.any(Number),
    rule: 'An agent does no work that is not paid for',
    expected: '402',
    got: 'answers unpaid jobs: dev mode is on, or nothing asks for payment',
    fix: 'Serve it by farebox start, with SERVICE_DEV_MODE=false: farebox dev is always free',
  })
  const events = await streamed()
  const failure = events.at(-1)
  expect([failure?.event, failure?.data]).toMatchObject([
    'failure',
    { error_type: 'validation', error: expect.stringContaining('execute: answers unpaid jobs') },
  ])
  expect(registrationFailure.parse(failure?.data).checks).toEqual(events.slice(0, -1).map(({ data }) => data))
})

const answering = (status: number, body: unknown): (() => Response) => {
  const headers = { 'content-type': 'application/json' }
  return () => new Response(JSON.stringify(body), { status, headers })
}
const asking = (changes: object): (() => Response) => {
  const asset = '0x036cbd53842c5426634e7929541ec2318f3dcf7e'
  const entry = { scheme: 'exact', network: 'eip155:84532', maxAmountRequired: '10000', asset, payTo: WALLET }
  return answering(402, { x402Version: 1, accepts: [{ ...entry, ...changes }] })
}

test.each([
  ['health', '/health', answering(500, {}), '200 {"name": "…", "version": "1.0", "status": "ok"}'],
  ['about', '/about', answering(200, { name: 1 }), '200 and a declaration to every rule of agent.json'],
  ['payment_required', '/execute', answering(503, {}), '402 and a body with "accepts"'],
  ['network', '/execute', asking({ network: 'eip155:1' }), 'an entry of "accepts" with network eip155:84532'],
  ['price', '/execute', asking({ maxAmountRequired: '10001' }), 'maxAmountRequired "10000" (0.01 USDC)'],
  ['wallet', '/execute', asking({ payTo: `0x${'71'.repeat(20)}` }), `payTo ${WALLET}`],
])(
  'when %s fails it is the last check, and states the expected result',
  async (name, path, lie, expected) => {
    await moveIn(site, { wallet: WALLET })
    lieAt(site, { [path]: lie })
    const checks = await refusedChecks()
    expect(checks.at(-1)).toMatchObject({ name, ok: false, severity: 'required', expected })
    expect(checks.slice(0, -1).every(({ ok }) => ok)).toBe(true)
  },
)

test.each([
  ['localhost:3055', 'has no scheme', 'Write http://localhost:3055'],
  ['agent.example/tools', 'has no scheme', 'Write https://agent.example/tools'],
  [
    'http://agent.example',
    'scheme: must be https',
    'Register the http:// address at which the agent answers',
  ],
  ['hello\u202E there', 'must not have blanks', 'Register the http:// address at which the agent answers'],
])('the URL %j is returned as typed, with its correct form', async (typed, said, fix) => {
  const answer = await open({}, typed)
  expect(answer.statusCode).toBe(400)
  const [check] = answer.json<RegistrationFailure>().checks ?? []
  expect(check?.got).toBe(typed.replace('\u202E', '\uFFFD'))
  expect(check?.detail).toContain(`The URL: ${said}`)
  expect(check?.fix).toContain(fix)
})

const OTHERWISE = 'Something else answers here: check the port and the path'
const NOBODY = 'Start the agent, and open this address in a browser: the runtime serves it by itself'

test.each<[string, () => Response, string]>([
  ['a page', () => new Response('<h1>My blog</h1>'), OTHERWISE],
  ['a page that is not there', answering(404, {}), OTHERWISE],
  ['other JSON', answering(200, { ok: true }), OTHERWISE],
  ['a redirect', () => Response.redirect('https://blog.example', 302), OTHERWISE],
  ['a proxy before nobody', answering(502, {}), NOBODY],
])('when %s responds to /health, this is distinguished from a stopped agent', async (_, lie, fix) => {
  lieAt(site, { '/health': lie })
  expect((await refusedChecks()).at(-1)).toMatchObject({ name: 'health', ok: false, fix })
})

test('when no agent responds, the advice is to start it', async () => {
  expect((await refusedChecks()).at(-1)).toMatchObject({ name: 'health', ok: false, fix: NOBODY })
})

test('advice is shown and does not prevent the registration: no /about, another name of /health', async () => {
  await moveIn(site, { wallet: WALLET })
  const other = { name: 'Somebody else', version: '1.0', status: 'ok' }
  lieAt(site, { '/health': answering(200, other) })
  const named = (await open()).json<Registration>()
  expect(named.checks.filter(({ ok }) => !ok)).toMatchObject([{ name: 'health_name', severity: 'advice' }])
  const bare = await startSite()
  await moveIn(bare, { wallet: WALLET })
  lieAt(bare, { '/about': () => new Response('', { status: 404 }) })
  const phase1 = (await open({}, bare.url)).json<Registration>()
  expect(phase1.found.phase).toBe('phase-1')
  expect(phase1.checks.at(-1)).toMatchObject({ name: 'about', ok: false, severity: 'advice' })
  await bare.close()
})

test('a URL that must not be called, and an endpoint that has an agent, are refused by separate checks', async () => {
  const local = await open({}, 'http://10.0.0.1')
  expect([local.statusCode, local.json()]).toMatchObject([400, { checks: [{ name: 'endpoint', ok: false }] }])
  await moveIn(site, { wallet: WALLET })
  const { agentId } = await insertAgent(stage.database, { endpoint: site.url })
  const taken = await open()
  expect([taken.statusCode, taken.json()]).toMatchObject([
    409,
    {
      error: `endpoint: agent ${agentId} is listed with it already`,
      listed: { agent_id: agentId, owner: expect.stringMatching(/^0x[0-9a-f]{40}$/) },
      checks: [
        { name: 'endpoint', ok: true },
        { name: 'unclaimed', got: `agent ${agentId} is listed with it already` },
      ],
    },
  ])
  const events = await streamed()
  expect(events.map(({ event }) => event)).toEqual(['check', 'check', 'failure'])
  expect(events.at(-1)?.data).toMatchObject({ listed: { agent_id: agentId } })
  expect(site.seen).toEqual([])
})

test('once its agent is listed, a registration names it, and no longer says that no agent is listed', async () => {
  await moveIn(site, { wallet: WALLET })
  const { registration_id: id } = (await open()).json<Registration>()
  const { agentId } = await insertAgent(stage.database, { endpoint: site.url, owner: WALLET })
  const read = (await ask({ method: 'GET', url: `/v1/registrations/${id}` })).json<Registration>()
  expect(read.status).toMatchObject({ state: 'listed', agent_id: agentId, owner: WALLET })
  const taken = { name: 'unclaimed', ok: false, severity: 'advice' }
  const detail = `The endpoint: agent ${agentId} is listed with it already`
  expect(read.checks[1]).toMatchObject({ ...taken, detail })
  const events = await streamed()
  expect(events.map(({ data }) => data).slice(0, -1)).toEqual(read.checks)
  expect(JSON.stringify(events)).not.toContain('No agent is listed')
})
