import { decodeHeader, encodeHeader } from '@farebox/payments/x402/payment-header'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AgentMode } from '../check/agent-mode.ts'
import { isObject } from '@farebox/protocol/internal/guards/json'
import { HANDLER_SECRET } from '../fixture/fixture-handlers.ts'
import { listChecks } from './list-checks.ts'
import { runConformance, type CheckResult, type ConformanceOptions } from './run-conformance.ts'
import { serveFixture, type FixtureAgent } from '../../serve-fixture.ts'

type Forward = (request: Request) => Promise<Response>
/** A correct agent with one fault. */
type Tamper = (request: Request, forward: Forward, fixture: FixtureAgent) => Promise<Response>
type Json = { [key: string]: unknown }

const fixtures = new Map<AgentMode, FixtureAgent>()
beforeAll(async () => {
  for (const mode of ['dev', 'paid'] as const) fixtures.set(mode, await serveFixture(mode))
})
afterAll(async () => {
  for (const { agent } of fixtures.values()) await agent.close()
})

test('the fixture passes every check that runs without a payer', async () => {
  expect(await failedChecks('paid', (request, forward) => forward(request))).toEqual([])
})

test('a payer signs no payment when the 402 asks for another wallet than /about declares', async () => {
  const payers: unknown[] = []
  const fixture = fixtureOf('paid')
  const lying = changeHeader402(entry => ({ ...entry, payTo: `0x${'ab'.repeat(20)}` }))
  const fetch = async (request: Request): Promise<Response> => {
    const sent = paymentOf(request)
    if (isObject(sent) && isObject(sent['payload'])) {
      const { authorization } = sent['payload']
      if (isObject(authorization)) payers.push(authorization['from'])
    }
    return await lying(request, one => fixture.agent.fetch(one), fixture)
  }
  const { clock } = fixture
  const results = await collect({ baseUrl: 'http://agent.test', fetch, clock, ...withPayer() })
  expect(results.find(({ check }) => check.id === 'settlement/receipt')).toMatchObject({
    outcome: 'not applicable',
    why: expect.stringMatching(/^nothing was signed: the 402 of echo asks for payment to 0xabab/),
  })
  expect(payers.length).toBeGreaterThan(0)
  expect(payers).not.toContain(fixture.signer.address.toLowerCase())
})

const ids = (area: string): readonly string[] =>
  listChecks().flatMap(({ id }) => (id.startsWith(area) ? [id] : []))

describe('an agent with one fault fails the checks of that fault and no others:', () => {
  test('D2 runs jobs without payment', async () => {
    const failed = await failedChecks(
      'paid',
      async (request, forward) => {
        const response = await forward(request)
        const { headers } = response
        return isUnpaidJob(request)
          ? Response.json({ status: 'completed', output: {} }, { headers })
          : response
      },
      { mode: 'paid' },
    )
    // The content of the 402 is not checked when there is none; one check reports that.
    expect(failed).toEqual(
      [...ids('unpaid/'), 'payment-required/body', 'order/size before payment', 'routes/query'].sort(),
    )
  })

  test.each<[string, Tamper, readonly string[]]>([
    [
      'D1 asks for decimals instead of atomic units',
      changeBody402(body => eachEntry(body, entry => ({ ...entry, maxAmountRequired: '0.002' }))),
      ['payment-required/amount', 'payment-required/header-agrees'],
    ],
    [
      'D2 puts a further key into accepts',
      changeBody402(body => eachEntry(body, entry => ({ ...entry, resource: '/execute' }))),
      ['payment-required/entry-keys'],
    ],
    [
      'D3 sends no PAYMENT-REQUIRED header',
      changeHeaders(headers => headers.delete('payment-required')),
      ['payment-required/header'],
    ],
    [
      'D3 sends the agent’s name as the token’s domain',
      changeHeader402(entry => ({ ...entry, extra: { name: 'Conformance fixture', version: '1' } })),
      ['payment-required/domain'],
    ],
    [
      'D3 asks for a time-out of its own',
      changeHeader402(entry => ({ ...entry, maxTimeoutSeconds: 300 })),
      ['payment-required/max-timeout'],
    ],
    [
      'interface 1.2 serves another price than it asks',
      changeAbout(about => replaceText(about, '"0.002"', '"0.02"')),
      ['payment-required/amount'],
    ],
    [
      'D29 serves the wallet’s placeholder',
      changeAbout(about => ({ ...about, wallet: '${AGENT_WALLET_ADDRESS}' })),
      ['about/wallet'],
    ],
    [
      // Without a valid declaration in /about there is nothing to compare the rest with.
      'D29 adds to /about',
      changeAbout(about => ({ ...about, powered_by: 'x' })),
      ['about/declaration', 'about/keys'],
    ],
    [
      'D15 answers unknown routes in HTML',
      async (request, forward) => {
        const response = await forward(request)
        return response.status === 404 ? new Response('<h1>Not found</h1>', { status: 404 }) : response
      },
      ids('routes/unknown'),
    ],
    [
      'D15 shuts browsers out',
      changeHeaders(headers => {
        for (const name of [...headers.keys()].filter(one => one.startsWith('access-control')))
          headers.delete(name)
      }),
      ids('cors/'),
    ],
    [
      'interface, Health response: answers "up"',
      async (request, forward) =>
        new URL(request.url).pathname === '/health'
          ? Response.json({ status: 'up' })
          : await forward(request),
      [
        'cors/get /health',
        'cors/preflight /health',
        'health/body',
        'health/head',
        'health/name',
        'routes/method POST /health',
        'routes/method PUT /health',
      ],
    ],
    [
      'D5 takes payments to other wallets',
      async (request, forward) => {
        const paysOther = JSON.stringify(paymentOf(request) ?? null).includes('"to":"0x1111')
        return paysOther ? failed408() : await forward(request)
      },
      [
        'order/signature before terms',
        'order/terms before deadline',
        'payment-refusals/messages',
        'payment-refusals/other payee',
      ],
    ],
    [
      'PAY-27 parses amounts loosely',
      async (request, forward) => {
        const value = paidValue(request)
        const loose =
          typeof value === 'number' ||
          (typeof value === 'string' && value !== '2000' && Number(value) === 2_000)
        return loose ? failed408() : await forward(request)
      },
      listChecks().flatMap(({ id, title }) => (title.startsWith('The right amount ') ? [id] : [])),
    ],
  ])('%s', async (_, tamper, failed) => {
    expect(await failedChecks('paid', tamper)).toEqual([...failed].sort())
  })

  test('PAY-36 lets caches store responses of /execute', async () => {
    const tamper = changeHeaders(headers => headers.delete('cache-control'))
    expect(await failedChecks('paid', tamper, { only: ['payment-required'] })).toEqual([
      'payment-required/no-store',
    ])
  })

  test('D15 adds extra fields to a failure', async () => {
    const tamper = changeJson(body => (body['status'] === 'failed' ? { ...body, stack: 'at x' } : body))
    expect((await failedChecks('paid', tamper, { only: ['capability'] })).length).toBe(12)
  })

  test('VAL-16 reads JSON under any content type', async () => {
    expect(
      await failedChecks(
        'dev',
        async (request, forward) => {
          if (request.method !== 'POST') return await forward(request)
          const headers = new Headers(request.headers)
          headers.set('content-type', 'application/json')
          return await forward(
            new Request(request.url, { method: 'POST', headers, body: await request.arrayBuffer() }),
          )
        },
        { only: ['request-shape', 'order'] },
      ),
    ).toEqual(['order/content type before JSON', 'request-shape/content-type'])
  })

  test('IDM-01 gives a stored response to every caller', async () => {
    const stored = new Map<string, { readonly body: string; readonly headers: Headers }>()
    const failed = await failedChecks(
      'paid',
      async (request, forward) => {
        const jobId = await jobIdOf(request)
        const known = stored.get(jobId)
        if (known !== undefined && paymentOf(request) !== undefined)
          return new Response(known.body, { headers: known.headers })
        const response = await forward(request)
        if (response.status === 200 && jobId !== '')
          stored.set(jobId, { body: await response.clone().text(), headers: response.headers })
        return response
      },
      { ...withPayer(), only: ['idempotency', 'order'] },
    )
    expect(failed).toEqual([
      'idempotency/other payer',
      'order/capability before stored response',
      'order/the payment of a repeat before it answers',
    ])
  })

  test('PAY-37 charges a new payment for a stored response', async () => {
    const failed = await failedChecks(
      'paid',
      async (request, forward, { gate }) => {
        const response = await forward(request)
        const payment = paymentOf(request)
        if (response.status === 200 && payment !== undefined) {
          await gate.settle({ key: JSON.stringify(payment) } as Parameters<typeof gate.settle>[0])
        }
        return response
      },
      { ...withPayer(), known: { gate: fixtureOf('paid').gate }, only: ['idempotency'] },
    )
    expect(failed).toEqual(['idempotency/new payment'])
  })

  test('interface, Processing 6: runs a repeat again', async () => {
    let jobs = 0
    const failed = await failedChecks(
      'dev',
      async (request, forward) => {
        if (request.method !== 'POST') return await forward(request)
        const body = await request.clone().text()
        jobs += 1
        const own = `00000000-0000-4000-8000-${String(jobs).padStart(12, '0')}`
        const jobId = await jobIdOf(request)
        const response = await forward(
          new Request(request.url, {
            method: 'POST',
            headers: request.headers,
            body: body.replace(jobId, own),
          }),
        )
        return new Response((await response.text()).replace(own, jobId), response)
      },
      {
        known: fixtureOf('dev').known,
        only: ['idempotency/runs once', 'concurrency/together', 'idempotency/poison'],
      },
    )
    expect(failed).toEqual(['concurrency/together', 'idempotency/runs once'])
  })

  test('VAL-15 reveals its handler’s error to the caller', async () => {
    const failed = await failedChecks(
      'dev',
      changeJson(body => (body['error'] === 'Internal error' ? { ...body, error: HANDLER_SECRET } : body)),
      { known: fixtureOf('dev').known, only: ['handler-errors'] },
    )
    const untyped = listChecks().filter(({ title }) => title.includes('500 Internal error, and nothing more'))
    expect(failed).toEqual(untyped.map(({ id }) => id).sort())
  })

  test('answers 500 to everything', async () => {
    const failed = await failedChecks('paid', () => Promise.resolve(new Response('oops', { status: 500 })), {
      only: ['health', 'about'],
    })
    expect(failed).toEqual([
      'about/capabilities',
      'about/declaration',
      'about/head',
      'about/json',
      'about/keys',
      'about/pricing',
      'about/version',
      'about/wallet',
      'health/body',
      'health/head',
      'health/json',
      'health/open',
    ])
  })

  test('cannot be reached', async () => {
    const results = await collect({ baseUrl: 'http://127.0.0.1:1', only: ['health/body'] })
    expect(results).toMatchObject([
      { outcome: 'failed', expected: 'an answer to GET /health', got: expect.stringContaining('no answer') },
    ])
  })
})

function fixtureOf(mode: AgentMode): FixtureAgent {
  const fixture = fixtures.get(mode)
  if (fixture === undefined) throw new Error(`no fixture in ${mode} mode`)
  return fixture
}

function withPayer(): Pick<ConformanceOptions, 'payer'> {
  return { payer: { signer: fixtureOf('paid').signer, maxPrice: 1_000_000n } }
}

/** Ids of the checks that the tampered agent fails, sorted. */
async function failedChecks(
  mode: AgentMode,
  tamper: Tamper,
  options: Partial<ConformanceOptions> = {},
): Promise<readonly string[]> {
  const fixture = fixtureOf(mode)
  const fetch = (request: Request): Promise<Response> =>
    tamper(request, one => fixture.agent.fetch(one), fixture)
  const results = await collect({ baseUrl: 'http://agent.test', fetch, clock: fixture.clock, ...options })
  return results
    .filter(({ outcome }) => outcome === 'failed')
    .map(({ check }) => check.id)
    .sort()
}

async function collect(options: ConformanceOptions): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = []
  for await (const result of runConformance(options)) results.push(result)
  return results
}

function isUnpaidJob(request: Request): boolean {
  return (
    request.method === 'POST' &&
    new URL(request.url).pathname === '/execute' &&
    !request.headers.has('payment-signature')
  )
}

function paymentOf(request: Request): unknown {
  return decodeHeader(request.headers.get('payment-signature') ?? '')
}

function paidValue(request: Request): unknown {
  const { payload } = (paymentOf(request) ?? {}) as { payload?: { authorization?: { value?: unknown } } }
  return payload?.authorization?.value
}

async function jobIdOf(request: Request): Promise<string> {
  return /"job_id":"([^"]*)"/.exec(request.method === 'POST' ? await request.clone().text() : '')?.[1] ?? ''
}

function failed408(): Response {
  return Response.json(
    { status: 'failed', error_type: 'deadline', error: 'late', service_version: '1.0' },
    { status: 408 },
  )
}

function changeHeaders(change: (headers: Headers) => void): Tamper {
  return async (request, forward) => {
    const response = await forward(request)
    const headers = new Headers(response.headers)
    change(headers)
    return new Response(response.body, { status: response.status, headers })
  }
}

function changeJson(change: (body: Json) => Json): Tamper {
  return async (request, forward) => {
    const response = await forward(request)
    const text = await response.text()
    const body: unknown = text === '' ? undefined : JSON.parse(text)
    const changed = isObject(body) ? JSON.stringify(change({ ...body })) : text
    return new Response(changed === '' ? null : changed, {
      status: response.status,
      headers: response.headers,
    })
  }
}

function changeAbout(change: (about: Json) => Json): Tamper {
  return changeJson(body => (Object.hasOwn(body, 'capabilities') ? change(body) : body))
}

function changeBody402(change: (body: Json) => Json): Tamper {
  return changeJson(body => (Object.hasOwn(body, 'accepts') ? change(body) : body))
}

function changeHeader402(change: (entry: Json) => Json): Tamper {
  return changeHeaders(headers => {
    const required = decodeHeader(headers.get('payment-required') ?? '')
    if (isObject(required)) headers.set('payment-required', encodeHeader(eachEntry({ ...required }, change)))
  })
}

function eachEntry(body: Json, change: (entry: Json) => Json): Json {
  return { ...body, accepts: (body['accepts'] as Json[]).map(change) }
}

function replaceText(value: Json, from: string, to: string): Json {
  return JSON.parse(JSON.stringify(value).replaceAll(from, to)) as Json
}
