import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ZodObject } from 'zod'
import { platformRoutes } from '../create-platform.ts'
import { serveSecrets, type SecretsFacilitator } from '../test-setup/network/facilitator-for-secrets.ts'
import { everythingStored, makeOwnThings, OWN_FLOW, type OwnThings } from '../test-setup/own-things.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import { createApp } from '../app/create-app.ts'
import { asSchemaObject, createSchemaWriter, type SchemaObject } from './json-schema.ts'
import type { Route } from './route.ts'

const OPERATOR = { authorization: 'Bearer an-operator-token-of-tests' }

let stage: Stage
let facilitator: SecretsFacilitator
let app: FastifyInstance
let routes: readonly Route[]
let victim: OwnThings
let attacker: OwnThings

beforeAll(async () => {
  const first = await stagePlatform()
  facilitator = await serveSecrets(first.parts)
  await first.close()
  stage = await stagePlatform({
    clock: first.clock,
    settings: { operatorToken: 'an-operator-token-of-tests', facilitator },
  })
  routes = platformRoutes(stage.parts)
  app = createApp(stage.parts, routes)
  clock = first.clock
})
let clock: Stage['clock']
beforeEach(async () => {
  clock.pass(60_000)
  victim = await makeOwnThings(stage.parts, app)
  attacker = await makeOwnThings(stage.parts, app)
})
afterAll(async () => {
  await app.close()
  await facilitator.close()
  await stage.close()
})

const nameOf = (route: Route): string => `${route.method} ${route.path}`

/** A valid body for each route; routes that are not listed accept none. */
const BODIES: { readonly [route: string]: object } = {
  'PUT /v1/me/agents/:agentId/category': { category: 'code' },
  'PUT /v1/me/agents/:agentId/webhook': { url: 'https://hooks.example/other' },
  'POST /v1/operator/agents/:agentId/take-down': { reason: 'It is another’s.' },
  'POST /v1/agents/:agentId/reports': { reason: 'spam' },
  'POST /v1/me/secrets': {},
  'POST /v1/jobs/:jobId/retry': { payment: 'bm8=' },
  'PUT /v1/runs/:runId/payments': {
    payments: [{ key: 'a', job_id: '5f0c1a52-6f0e-4b8a-9d51-0a2f4be391aa', payment: 'bm8=' }],
  },
  'POST /v1/runs/:runId/retry': { key: 'a' },
  'POST /v1/runs/:runId/answer': { step: 'word', approved: true },
  'POST /v1/flows': { flow: OWN_FLOW },
  'PUT /v1/flows/:flowId': { flow: OWN_FLOW, revision: 1 },
}

/** Public routes about one resource that every caller may see or report on. */
const FOR_EVERYBODY = [
  'GET /v1/agents/:agentId',
  'GET /v1/agents/:agentId/openapi.json',
  'GET /v1/agents/:agentId/declarations',
  'GET /v1/agents/:agentId/declarations/:version',
  'GET /v1/agents/:agentId/health',
  'GET /v1/agents/:agentId/health/days',
  'GET /v1/agents/:agentId/badge',
  'GET /v1/agents/:agentId/receipts',
  // The hash is known only to the payer and the agent; the receipt it leads to is also in the lists.
  'GET /v1/receipts/:hash',
  // Permissions, spends and approvals are public on the chain.
  'GET /v1/limits/:address',
  'GET /v1/limits/:address/spends',
  'GET /v1/limits/:address/approvals',
  'GET /v1/agents/:agentId/spender',
  'POST /v1/agents/:agentId/refresh',
  'POST /v1/agents/:agentId/reports',
  // Counts flows without revealing their owners.
  'POST /v1/agents/:agentId/drift',
  // The id is the secret: 128 random bits, known only to those with whom the owner shared the flow.
  'GET /v1/shared/:shareId',
  // The id is the secret: 128 random bits, known only to the caller that registers.
  'GET /v1/registrations/:registrationId',
  // The balance is public on the chain.
  'GET /v1/wallets/:address/balance',
]

function requestOf(
  route: Route,
  things: OwnThings,
  headers: { readonly [name: string]: string },
): InjectOptions {
  const url = route.path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const id = name in things.ids ? things.ids[name as keyof OwnThings['ids']] : undefined
    if (id === undefined) throw new Error(`${route.path}: this test does not know what ${name} names`)
    return id
  })
  const body = BODIES[nameOf(route)]
  return { method: route.method, url, headers, ...(body !== undefined && { payload: body }) }
}

const ask = async (
  route: Route,
  things: OwnThings,
  headers: { readonly [name: string]: string } = {},
): Promise<LightMyRequestResponse> => await app.inject(requestOf(route, things, headers))

const stored = async (): Promise<unknown> =>
  await everythingStored(stage.parts, [victim.address, attacker.address])

test('API1 every route with a parameter has an owner, is the operator’s, or is listed as public', () => {
  const undecided = routes.filter(
    route =>
      route.path.includes(':') &&
      route.belongsTo === undefined &&
      route.access !== 'operator' &&
      !FOR_EVERYBODY.includes(nameOf(route)),
  )
  expect(undecided.map(nameOf)).toEqual([])
  expect(routes.filter(route => route.belongsTo !== undefined).length).toBeGreaterThanOrEqual(4)
})

test('API1 WEB-07 resources of another owner are answered with 404 on every route, and stay unchanged', async () => {
  const own = routes.filter(route => route.belongsTo !== undefined)
  for (const route of own) {
    clock.pass(60_000)
    const before = await stored()
    const answer = await ask(route, victim, attacker.headers)
    expect([nameOf(route), answer.statusCode], answer.body).toEqual([nameOf(route), 404])
    expect(answer.json()).toMatchObject({ status: 'failed', error_type: 'not_found' })
    expect(answer.body).not.toContain(victim.address)
    expect(await stored(), nameOf(route)).toEqual(before)
  }
})

test('API1 a caller without a session has no access either', async () => {
  for (const route of routes.filter(one => one.belongsTo !== undefined)) {
    const before = await stored()
    const answer = await ask(route, victim)
    expect([nameOf(route), answer.statusCode]).toEqual([nameOf(route), route.access === 'owner' ? 401 : 404])
    expect(await stored()).toEqual(before)
  }
})

test('an owner’s own resources are found, so the 404 above depends on the owner', async () => {
  for (const route of routes.filter(one => one.belongsTo !== undefined)) {
    clock.pass(60_000)
    const things = await makeOwnThings(stage.parts, app)
    const answer = await ask(route, things, things.headers)
    // Some are refused, because there are already two secrets or a receipt needs a node, but they are found.
    expect([nameOf(route), answer.statusCode === 404], answer.body).toEqual([nameOf(route), false])
  }
})

test('a missing resource is answered like one of another owner', async () => {
  const nobodys = {
    ...victim,
    ids: {
      agentId: '999999',
      jobId: '3f8a2c1e-9b4d-4f6a-8c2b-1d5e7f9a0b3c',
      runId: '3f8a2c1e-9b4d-4f6a-8c2b-1d5e7f9a0b3c',
      flowId: '3f8a2c1e-9b4d-4f6a-8c2b-1d5e7f9a0b3c',
      sessionId: '3f8a2c1e-9b4d-4f6a-8c2b-1d5e7f9a0b3c',
      secretId: '0123456789abcdef',
      keyId: 'a'.repeat(43),
    },
  }
  for (const route of routes.filter(one => one.belongsTo !== undefined)) {
    clock.pass(60_000)
    const [theirs, none] = [
      await ask(route, victim, attacker.headers),
      await ask(route, nobodys, attacker.headers),
    ]
    const plain = (answer: LightMyRequestResponse, things: OwnThings): string =>
      Object.values(things.ids).reduce((text, id) => text.replaceAll(id, '…'), answer.body)
    expect([nameOf(route), plain(none, nobodys)]).toEqual([nameOf(route), plain(theirs, victim)])
  }
})

test('API1 lists of an owner contain no resources of others', async () => {
  const lists = routes.filter(
    route => route.access === 'owner' && route.method === 'GET' && !route.path.includes(':'),
  )
  expect(lists.length).toBeGreaterThanOrEqual(3)
  for (const route of lists) {
    const answer = await ask(route, victim, attacker.headers)
    expect([nameOf(route), answer.statusCode]).toEqual([nameOf(route), 200])
    for (const theirs of [victim.address, ...Object.values(victim.ids).filter(id => id.length > 8)]) {
      expect(answer.body).not.toContain(theirs)
    }
  }
})

test('API5 the operator’s routes answer 403 to owners and 401 without a session, and nothing changes', async () => {
  const operators = routes.filter(route => route.access === 'operator')
  expect(operators.length).toBeGreaterThanOrEqual(3)
  const before = await stored()
  for (const route of operators) {
    const codes = [await ask(route, victim, attacker.headers), await ask(route, victim)].map(
      one => one.statusCode,
    )
    expect([nameOf(route), ...codes]).toEqual([nameOf(route), 403, 401])
  }
  expect(await stored()).toEqual(before)
  // With the operator's token they answer.
  for (const route of operators) {
    const answer = await ask(route, victim, OPERATOR)
    expect([nameOf(route), answer.statusCode]).toEqual([nameOf(route), route.method === 'DELETE' ? 204 : 200])
  }
})

test('API2 every owner’s route requires a session', async () => {
  for (const route of routes.filter(one => one.access === 'owner')) {
    const answer = await ask(route, victim)
    expect([nameOf(route), answer.statusCode]).toEqual([nameOf(route), 401])
  }
})

test('a character that cannot be stored is refused in every body and path, and breaks no query', async () => {
  const headersOf = ({ access }: Route) => (access === 'operator' ? OPERATOR : attacker.headers)
  for (const route of routes) {
    clock.pass(60_000)
    const { method } = route
    const headers = headersOf(route)
    const plain = { method, url: route.path.replaceAll(/:\w+/g, '1'), headers }
    if (route.path.includes(':')) {
      const answer = await app.inject({ method, url: route.path.replaceAll(/:\w+/g, '%00'), headers })
      expect([nameOf(route), answer.statusCode], answer.body).toEqual([nameOf(route), 400])
    }
    for (const key of route.query instanceof ZodObject ? Object.keys(route.query.shape) : []) {
      const answer = await app.inject({ ...plain, query: { [key]: 'a\0' } })
      expect([nameOf(route), key, answer.statusCode < 500], answer.body).toEqual([nameOf(route), key, true])
    }
    for (const [text, place] of [
      ['{"a":["x",{"b":"\\u0000"}]}', 'a[1].b: has a character that cannot be kept (U+0000)'],
      ['{"\\udc00":1}', '?: has a character that cannot be kept (U+DC00)'],
    ] as const) {
      if (route.body === undefined) continue
      const json = { ...headers, 'content-type': 'application/json' }
      const answer = await app.inject({ ...plain, headers: json, payload: text })
      expect([nameOf(route), answer.statusCode, answer.json<{ error: string }>().error]).toEqual([
        nameOf(route),
        400,
        place,
      ])
    }
  }
})

describe('API3 mass assignment', () => {
  test('the input schema of every route is closed, including nested objects', () => {
    for (const route of routes) {
      const writer = createSchemaWriter()
      for (const schema of [route.params, route.query, route.body]) {
        if (schema === undefined) continue
        const written = writer.write(schema, 'input', 'Test')
        for (const part of [written, ...writer.components.values()])
          expect([nameOf(route), openObjects(part)]).toEqual([nameOf(route), []])
      }
    }
  })

  test('keys of the tables are refused by name, and nothing changes', async () => {
    const extras = {
      standing: 'listed',
      owner: attacker.address,
      badge: 'gold',
      agent_id: 1,
      is_operator: true,
    }
    for (const route of routes.filter(one => BODIES[nameOf(one)] !== undefined)) {
      const headers = route.access === 'operator' ? OPERATOR : attacker.headers
      for (const [key, value] of Object.entries(extras)) {
        const before = await stored()
        const request = requestOf(route, attacker, headers)
        const answer = await app.inject({ ...request, payload: { ...BODIES[nameOf(route)], [key]: value } })
        expect([nameOf(route), answer.statusCode, answer.json<{ error: string }>().error]).toEqual([
          nameOf(route),
          400,
          `${key}: is not known here`,
        ])
        expect(await stored()).toEqual(before)
        clock.pass(60_000)
      }
    }
  })
})

/** The paths of objects that name keys but accept others too; objects without named keys are open on purpose. */
function openObjects(schema: unknown, at = ''): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap((part, index) => openObjects(part, `${at}/${index}`))
  if (typeof schema !== 'object' || schema === null) return []
  const object: SchemaObject = asSchemaObject(schema)
  const isOpen = object['properties'] !== undefined && object['additionalProperties'] !== false
  return [
    ...(isOpen ? [at] : []),
    ...Object.entries(object).flatMap(([key, part]) => openObjects(part, `${at}/${key}`)),
  ]
}
