import { createDrain } from '@farebox/server/internal/drain'
import { gzipSync } from 'node:zlib'
import { createJsonLog } from '@farebox/server/log'
import { systemClock } from '@farebox/protocol/time/clock'
import { until } from '@farebox/protocol/src/test-setup/until'
import { connect as connectDatabase } from '@farebox/server/src/postgres/connect'
import { openDatabaseDoor } from '@farebox/server/src/test-setup/database-door'
import type { InjectOptions } from 'fastify'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { answersAsDocumented } from '../test-setup/answers-as-documented.ts'
import { TEST_DATABASE_URL } from '../test-setup/database/own-database.ts'
import { echoRoute, postEcho, thing } from '../test-setup/echo-route.ts'
import { signedInAs } from '../test-setup/sign-in.ts'
import { stageApps } from '../test-setup/stage-apps.ts'
import { createApp } from './create-app.ts'
import { Refusal } from '../http/refusal.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { systemRoutes } from './system-routes.ts'

const OPERATOR_TOKEN = 'an-operator-token-of-tests'
const OWNER = `0x${'ab'.repeat(20)}`

const logged: string[] = []
const staged = stageApps({
  log: createJsonLog(line => logged.push(line), Date.now),
  settings: { operatorToken: OPERATOR_TOKEN },
})
afterEach(() => {
  logged.length = 0
})

function throwing(error: unknown): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/broken',
    summary: 'Breaks',
    access: 'public',
    answers: { 200: { description: 'Never', schema: thing } },
    handle: async () => await Promise.reject(error),
  })
}

const DEEP = '['.repeat(65) + ']'.repeat(65)

const REFUSED: readonly (readonly [what: string, InjectOptions, status: number, error: string])[] = [
  ['an unknown key', postEcho({ name: 'ab', admin: true }), 400, 'admin: is not known here'],
  [
    'a key of the prototype',
    postEcho(JSON.parse('{"name":"ab","__proto__":{}}')),
    400,
    '__proto__: is not known here',
  ],
  [
    'an unknown key below',
    postEcho({ name: 'ab', parts: [{ weight: 1, x: 1 }] }),
    400,
    'parts[0].x: is not known here',
  ],
  ['a missing field', postEcho({}), 400, 'name: is required'],
  ['a short field', postEcho({ name: 'a' }), 400, 'name: must have at least 2 characters'],
  ['a wrong type', postEcho({ name: 7 }), 400, 'name: must be string'],
  [
    'a wrong type below',
    postEcho({ name: 'ab', parts: [{ weight: '1' }] }),
    400,
    'parts[0].weight: must be number',
  ],
  ['no body', { method: 'POST', url: '/v1/things/1' }, 400, 'body: is required'],
  ['a list as the body', postEcho([]), 400, 'body: must be object'],
  ['no JSON', postEcho(0, { payload: '{"name":' }), 400, 'body: is no valid JSON'],
  ['no UTF-8', postEcho(0, { payload: Buffer.from([0x22, 0xff, 0x22]) }), 400, 'body: is no valid UTF-8'],
  [
    'a compressed body',
    postEcho(0, { payload: gzipSync('{"name":"ab"}') }),
    400,
    'body: must not be compressed',
  ],
  ['a deep body', postEcho(0, { payload: DEEP }), 400, 'body: is nested deeper than 64 levels'],
  ['an unknown query', postEcho({ name: 'ab' }, { url: '/v1/things/1?x=1' }), 400, 'x: is not known here'],
  [
    'a query twice',
    postEcho({ name: 'ab' }, { url: '/v1/things/1?loud=no&loud=no' }),
    400,
    'loud: must be one of "yes"|"no"',
  ],
  ['a wrong path', postEcho({ name: 'ab' }, { url: '/v1/things/x' }), 400, 'thingId: must be number'],
  ['a path that is no URL', { method: 'GET', url: '/%zz' }, 400, 'path: is no valid URL path'],
  ['a body too large', postEcho({ name: 'a'.repeat(1_001) }), 413, 'body: is larger than this route takes'],
  [
    'a form',
    postEcho(0, { payload: 'name=ab', headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
    415,
    'content-type: must be application/json',
  ],
  ['a route of nobody', { method: 'GET', url: '/v2/things' }, 404, 'path: no such route'],
  [
    'a very long path',
    { method: 'GET', url: `/v1/things/${'9'.repeat(500)}` },
    414,
    'path: a part of it is too long',
  ],
  [
    'a method it does not have',
    { method: 'DELETE', url: '/v1/things/1' },
    405,
    'method: must be one of POST, OPTIONS',
  ],
]

test.each(REFUSED)(
  'D15 the API refuses %s in the error envelope, and names the field',
  async (_, request, status, error) => {
    const app = staged.open([echoRoute])
    const answer = await answersAsDocumented(app, [echoRoute])(request)
    expect([answer.statusCode, answer.json<{ error: string }>().error]).toEqual([status, error])
    expect(answer.headers['x-content-type-options']).toBe('nosniff')
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(answer.headers['allow']).toBe(status === 405 ? 'POST, OPTIONS' : undefined)
  },
)

test('a valid request is handled, and the answer has the headers of an API', async () => {
  const app = staged.open([echoRoute])
  const answer = await answersAsDocumented(app, [echoRoute])(
    postEcho({ name: 'ab' }, { url: '/v1/things/1?loud=yes' }),
  )
  expect(answer.json()).toEqual({ name: 'ab' })
  expect(answer.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  })
})

test('a route without a body schema accepts an empty object and nothing else', async () => {
  const bare = defineRoute({
    method: 'POST',
    path: '/v1/bare',
    summary: 'Takes nothing',
    access: 'public',
    answers: { 204: { description: 'Done' } },
    handle: async () => ({ status: 204 }),
  })
  const app = staged.open([bare])
  const url = '/v1/bare'
  const codes = [
    { method: 'POST', url } as const,
    postEcho({}, { url }),
    postEcho({ a: 1 }, { url }),
    postEcho([1], { url }),
  ]
  const answers = await Promise.all(codes.map(request => app.inject(request)))
  expect(answers.map(answer => answer.statusCode)).toEqual([204, 204, 400, 400])
})

test('a bug is answered as "Internal error" and logged with its cause', async () => {
  const app = staged.open([throwing(new Error('the secret sauce', { cause: new Error('spilt') }))])
  const answer = await app.inject({ url: '/v1/broken' })
  expect(answer.statusCode).toBe(500)
  expect(answer.json()).toEqual({ status: 'failed', error_type: 'internal', error: 'Internal error' })
  const line = logged.find(one => one.includes('request failed')) ?? ''
  expect(line).toContain('the secret sauce; cause: spilt')
  expect(line).toContain(String(answer.headers['x-request-id']))
})

test('the status of an unknown error is ignored', async () => {
  const app = staged.open([throwing(Object.assign(new Error('from afar'), { statusCode: 403 }))])
  expect((await app.inject({ url: '/v1/broken' })).statusCode).toBe(500)
})

test('a refusal is answered with its type and retry time, without its cause', async () => {
  const refusal = new Refusal('rate_limited', 'slow down', {
    retryAfterSeconds: 7,
    cause: new Error('inside'),
  })
  const answer = await staged.open([throwing(refusal)]).inject({ url: '/v1/broken' })
  expect([answer.statusCode, answer.headers['retry-after']]).toEqual([429, '7'])
  expect(answer.json()).toEqual({ status: 'failed', error_type: 'rate_limited', error: 'slow down' })
})

test('an unreachable database is answered with 503 and Retry-After, and /health still answers', async () => {
  const nobody = { connectionString: 'postgres://root@127.0.0.1:1/test', schema: 'nowhere', connections: 1 }
  const database = connectDatabase({ ...nobody, program: 'test', onError: () => undefined })
  const parts = { ...staged.parts, database }
  const asks = defineRoute({
    method: 'GET',
    path: '/v1/asks',
    summary: 'Asks the database',
    access: 'public',
    answers: { 200: { description: 'Asked' } },
    handle: async () => ({ body: await database.query('asks', 'select 1 as one') }),
  })
  const routes = [asks, ...systemRoutes(parts)]
  const ask = answersAsDocumented(staged.open(routes, { parts }), routes)
  const answer = await ask({ url: '/v1/asks' })
  expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '2'])
  expect(answer.json()).toMatchObject({ error_type: 'unavailable' })
  const ready = await ask({ url: '/ready' })
  expect([ready.statusCode, ready.json()]).toEqual([
    503,
    { ready: false, database: 'out of reach', process: 'ok', clock: 'ok' },
  ])
  expect((await ask({ url: '/health' })).statusCode).toBe(200)
  const withOne = answersAsDocumented(staged.open(systemRoutes(staged.parts)), routes)
  expect((await withOne({ url: '/ready' })).json()).toEqual({
    ready: true,
    database: 'ok',
    process: 'ok',
    clock: 'ok',
  })
  await database.pool.end()
})

test('while the database is unavailable orders wait, other requests get 503 with Retry-After, and a stop ends the waiting', async () => {
  const door = await openDatabaseDoor(TEST_DATABASE_URL)
  const database = connectDatabase({
    connectionString: door.url,
    schema: 'nowhere',
    connections: 2,
    program: 'test',
    onError: () => undefined,
  })
  const begun: string[] = []
  const asking = (path: string, waits: Pick<Route, 'waitsForDatabase'>): Route =>
    defineRoute({
      method: 'POST',
      path,
      summary: 'Asks the database',
      access: 'public',
      answers: { 200: { description: 'Asked' }, 503: { description: 'The database is away' } },
      ...waits,
      async handle() {
        begun.push(path)
        return { body: await database.query('asks', 'select 1 as one') }
      },
    })
  const routes = [
    asking('/v1/orders', { waitsForDatabase: 'repeated' }),
    asking('/v1/starts', { waitsForDatabase: 'once' }),
    asking('/v1/others', {}),
  ]
  const app = staged.open(routes, { parts: { ...staged.parts, database, clock: systemClock } })
  // The request is sent when it is awaited.
  const order = async () => await app.inject({ method: 'POST', url: '/v1/orders' })
  try {
    await door.shut()
    const found = order()
    await until(() => logged.some(line => line.includes('the database is unavailable')))
    const waiting = order()
    const start = (async () => await app.inject({ method: 'POST', url: '/v1/starts' }))()
    const other = await app.inject({ method: 'POST', url: '/v1/others' })
    expect([other.statusCode, other.headers['retry-after']]).toEqual([503, '2'])
    expect(begun).toEqual(['/v1/orders', '/v1/others'])
    await door.open()
    expect((await Promise.all([found, waiting, start])).map(({ statusCode }) => statusCode)).toEqual([
      200, 200, 200,
    ])
    expect(begun.filter(path => path === '/v1/starts')).toHaveLength(1)

    await door.shut()
    const late = order()
    await until(() => logged.filter(line => line.includes('the database is unavailable')).length === 2)
    await app.close()
    expect([(await late).statusCode, (await late).headers['retry-after']]).toEqual([503, '2'])
  } finally {
    await database.pool.end()
    await door.shut()
  }
})

test.each([
  [12, 200],
  [40, 503],
])('a clock %i s behind the node is reported in /ready, which answers %i', async (seconds, status) => {
  const said = `our clock is ${seconds} s behind the node's`
  const parts = { ...staged.parts, clockSkew: () => ({ said, isUnfit: status === 503 }) }
  const routes = systemRoutes(parts)
  const ready = await answersAsDocumented(staged.open(routes, { parts }), routes)({ url: '/ready' })
  expect([ready.statusCode, ready.json()]).toEqual([
    status,
    { ready: status === 200, database: 'ok', process: 'ok', clock: said },
  ])
})

test('D32 a process that drains is not ready, answers as before, and ends each connection', async () => {
  const drain = createDrain()
  const parts = { ...staged.parts, drain }
  const routes = systemRoutes(parts)
  const ask = answersAsDocumented(staged.open(routes, { parts }), routes)
  expect((await ask({ url: '/ready' })).headers['connection']).not.toBe('close')
  drain.begin()
  const ready = await ask({ url: '/ready' })
  expect([ready.statusCode, ready.json()]).toMatchObject([503, { ready: false, process: 'it is stopping' }])
  const health = await ask({ url: '/health' })
  expect([health.statusCode, health.headers['connection']]).toEqual([200, 'close'])
})

test('pages of any site may read public routes, and a preflight allows it', async () => {
  const routes = systemRoutes(staged.parts)
  const app = staged.open([echoRoute, ...routes])
  const headers = { origin: 'https://elsewhere.example' }
  const read = await app.inject({ url: '/health', headers })
  expect(read.headers['access-control-allow-origin']).toBe('*')
  expect(read.headers['access-control-allow-credentials']).toBeUndefined()
  const preflight = await app.inject({ method: 'OPTIONS', url: '/health', headers })
  expect([preflight.statusCode, preflight.headers['access-control-allow-methods']]).toEqual([
    204,
    'GET, HEAD',
  ])
  const write = await app.inject({ method: 'OPTIONS', url: '/v1/things/1', headers })
  expect(write.headers['access-control-allow-origin']).toBeUndefined()
  expect((await app.inject(postEcho({ name: 'ab' }, { headers }))).statusCode).toBe(403)
})

test("operator routes require the operator's token, owner routes an owner's session", async () => {
  const handle = async (): Promise<{ readonly body: string }> => ({ body: 'in' })
  const answers = { 200: { description: 'In' } }
  const operator = defineRoute({
    method: 'GET',
    path: '/v1/operator/x',
    summary: 'x',
    access: 'operator',
    answers,
    handle,
  })
  const owner = defineRoute({
    method: 'GET',
    path: '/v1/me/x',
    summary: 'x',
    access: 'owner',
    answers,
    handle,
  })
  const app = staged.open([operator, owner])
  const asOperator = { authorization: `Bearer ${OPERATOR_TOKEN}` }
  const asOwner = await signedInAs(staged.parts, OWNER)
  const almost = { authorization: `Bearer ${OPERATOR_TOKEN.slice(0, -1)}` }
  const codes = async (url: string): Promise<readonly number[]> => {
    const all = [asOperator, asOwner, {}, almost].map(headers => app.inject({ url, headers }))
    return (await Promise.all(all)).map(answer => answer.statusCode)
  }
  expect(await codes('/v1/operator/x')).toEqual([200, 403, 401, 401])
  expect(await codes('/v1/me/x')).toEqual([403, 200, 401, 401])
})

test('an owner’s route with parameters must declare the owner of its resource', () => {
  const route = defineRoute({
    method: 'GET',
    path: '/v1/me/things/:thingId',
    summary: 'x',
    access: 'owner',
    params: z.strictObject({ thingId: z.string() }),
    answers: { 200: { description: 'x' } },
    handle: async () => ({}),
  })
  expect(() => createApp(staged.parts, [route])).toThrow(/GET \/v1\/me\/things\/:thingId must say/)
})

test('logs contain the route and id of a request, and none of its data', async () => {
  const app = staged.open([echoRoute])
  const answer = await app.inject(
    postEcho(
      { name: 'sesame-name' },
      {
        url: '/v1/things/1?loud=sesame-query',
        headers: {
          'content-type': 'application/json',
          authorization: 'Bearer sesame-token',
          cookie: 'farebox_session=sesame-cookie',
          origin: staged.parts.settings.publicUrl,
        },
      },
    ),
  )
  expect(answer.statusCode).toBe(401)
  await expect.poll(() => logged.length).toBe(1)
  expect(JSON.parse(logged[0] ?? '')).toMatchObject({
    event: 'request',
    request: answer.headers['x-request-id'],
    route: 'POST /v1/things/:thingId',
    status: 401,
  })
  expect(logged.join()).not.toContain('sesame')
})

test('GET /v1 and GET / list the addresses of the API', async () => {
  const routes = systemRoutes(staged.parts)
  const ask = answersAsDocumented(staged.open(routes), routes)
  const [first, second] = [await ask({ url: '/v1' }), await ask({ url: '/' })]
  expect(first.json()).toEqual({
    name: 'Farebox platform',
    agents: 'http://127.0.0.1:4020/v1/agents',
    api: 'http://127.0.0.1:4020/v1/openapi.json',
    receipt_keys: 'http://127.0.0.1:4020/.well-known/jwks.json',
  })
  expect(second.json()).toEqual(first.json())
})
