import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeHeader, encodeHeader } from '@farebox/payments/x402/payment-header'
import { areaOf, listChecks } from '@farebox/conformance/agent'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCli } from '../run-cli.ts'
import { createTestWorld } from '../testing/test-world.ts'
import {
  createWrongAgents,
  type Answered,
  type Asked,
  type Json,
  type Tamper,
} from '../testing/wrong-agent.ts'
import type { CheckDocument } from './check-document.ts'

const agents = createWrongAgents()
let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-check-'))
})
afterAll(async () => {
  await agents.close()
  await rm(folder, { recursive: true })
})

/** The only payer whose payments the right agent's gate accepts. */
const PAYER_KEY = `0x${Array.from({ length: 32 }, (_, index) => (index + 1).toString(16).padStart(2, '0')).join('')}`

async function check(
  url: string,
  ...words: readonly string[]
): Promise<{ readonly code: number; readonly document: CheckDocument }> {
  const { world, out } = createTestWorld({ folder, variables: { FAREBOX_PRIVATE_KEY: PAYER_KEY } })
  const code = await runCli(['check', url, '--json', ...words], world)
  return { code, document: JSON.parse(out()) as CheckDocument }
}

interface Fault {
  /** The mistake of a developer. */
  readonly fault: string
  readonly mode: 'dev' | 'paid'
  readonly words?: readonly string[]
  readonly tamper: Tamper
  /** The check that must find it. */
  readonly finds: string
  /** A text that the check's advice must contain. */
  readonly fix: RegExp
  /** Other checks that may fail with it. */
  readonly also?: RegExp
}

const FAULTS: readonly Fault[] = [
  {
    fault: 'runs jobs without payment',
    mode: 'paid',
    tamper: async (asked, forward) => {
      const answered = await forward(asked)
      const isFree = answered.status === 402 && !asked.headers.has('payment-signature')
      return isFree ? completed(asked, answered) : answered
    },
    finds: 'payment-required/body',
    fix: /402 .* when the payment header is missing/,
    also: /^unpaid\/|^routes\/(?:gate-dodges|query)|^order\/size before payment/,
  },
  {
    fault: 'never verifies a signature',
    mode: 'paid',
    tamper: async (asked, forward) => {
      const answered = await forward(asked)
      const isTaken = answered.status === 402 && asked.headers.has('payment-signature')
      return isTaken ? completed(asked, answered) : answered
    },
    finds: 'payment-refusals/empty wallet',
    fix: /facilitator before the handler/,
    also: /^payment-|^order\//,
  },
  {
    fault: 'writes the price in decimals',
    mode: 'paid',
    tamper: changeJson(body => eachEntry(body, entry => ({ ...entry, maxAmountRequired: '0.002' }))),
    finds: 'payment-required/amount',
    fix: /atomic units: 0\.002 USDC is "2000"/,
    also: /header-agrees/,
  },
  {
    fault: 'asks another price than /about says',
    mode: 'paid',
    tamper: changeAbout(about => JSON.parse(JSON.stringify(about).replaceAll('"0.002"', '"0.02"')) as Json),
    finds: 'payment-required/amount',
    fix: /atomic units/,
  },
  {
    fault: 'sends no PAYMENT-REQUIRED header',
    mode: 'paid',
    tamper: changeHeaders(headers => headers.delete('payment-required')),
    finds: 'payment-required/header',
    fix: /Send PAYMENT-REQUIRED: base64 of \{x402Version: 2/,
  },
  {
    fault: 'takes the agent’s name for the token’s signing domain',
    mode: 'paid',
    tamper: changeRequired(entry => ({ ...entry, extra: { name: 'My agent', version: '1' } })),
    finds: 'payment-required/domain',
    fix: /name and version of the token contract/,
  },
  {
    fault: 'names the network as other tools do',
    mode: 'paid',
    tamper: changeJson(body => eachEntry(body, entry => ({ ...entry, network: 'base-sepolia' }))),
    finds: 'payment-required/scheme',
    fix: /"eip155:<chain id>"/,
    also: /header-agrees/,
  },
  {
    fault: 'is paid into another wallet than it says',
    mode: 'paid',
    tamper: changeJson(body =>
      eachEntry(body, entry => ({ ...entry, payTo: '0x1111111111111111111111111111111111111111' })),
    ),
    finds: 'payment-required/pay-to',
    fix: /AGENT_WALLET_ADDRESS/,
    also: /header-agrees/,
  },
  {
    fault: 'lets caches keep a 402',
    mode: 'paid',
    tamper: changeHeaders(headers => headers.set('cache-control', 'max-age=60')),
    finds: 'payment-required/no-store',
    fix: /Cache-Control: no-store/,
    also: /^payment-|^order\//,
  },
  {
    fault: 'asks for payment before it knows the capability',
    mode: 'paid',
    tamper: async (asked, forward) => {
      const answered = await forward(asked)
      const isUnpaid = !asked.headers.has('payment-signature')
      return isUnpaid && answered.json['error_type'] === 'capability'
        ? await forward({ ...asked, body: new TextEncoder().encode('{}') })
        : answered
    },
    finds: 'unpaid/unknown-capability',
    fix: /400 capability before the 402, with the declared names/,
  },
  {
    fault: 'answers what it cannot find in HTML',
    mode: 'paid',
    tamper: async (asked, forward) => {
      const answered = await forward(asked)
      return answered.status === 404 ? { ...answered, text: '<h1>Not found</h1>' } : answered
    },
    finds: 'routes/unknown /nope',
    fix: /exactly \/health, \/about and \/execute/,
    also: /^routes\/unknown/,
  },
  {
    fault: 'answers 500 to a bad request',
    mode: 'paid',
    tamper: async (asked, forward) => {
      const answered = await forward(asked)
      return answered.status === 400 ? { ...answered, status: 500 } : answered
    },
    finds: 'request-shape/body a trailing comma',
    fix: /"validation" with status 400/,
    also: /^request-shape|^capability|^order|^unpaid/,
  },
  {
    fault: 'is "up"',
    mode: 'paid',
    tamper: changeJson(body => (body['status'] === 'ok' ? { ...body, status: 'up' } : body)),
    finds: 'health/body',
    fix: /"status": "ok"/,
  },
  {
    fault: 'serves the placeholder for its wallet',
    mode: 'paid',
    tamper: changeAbout(about => ({ ...about, wallet: '${AGENT_WALLET_ADDRESS}' })),
    finds: 'about/wallet',
    fix: /Set AGENT_WALLET_ADDRESS/,
    also: /pay-to/,
  },
  {
    fault: 'says more in /about than its declaration',
    mode: 'paid',
    tamper: changeAbout(about => ({ ...about, powered_by: 'express' })),
    finds: 'about/keys',
    fix: /nothing beside it/,
    also: /about\/declaration/,
  },
  {
    fault: 'says more in a failure than it should',
    mode: 'paid',
    tamper: changeJson(body =>
      body['status'] === 'failed' ? { ...body, stack: 'at run (/app/x.js:1)' } : body,
    ),
    finds: 'routes/unknown /nope',
    fix: /and no further key/,
    also: /./,
  },
  {
    fault: 'shuts browsers out',
    mode: 'paid',
    tamper: changeHeaders(headers => {
      for (const name of Array.from(headers.keys()))
        if (name.startsWith('access-control')) headers.delete(name)
    }),
    finds: 'cors/get /about',
    fix: /Access-Control-Allow-Origin/,
    also: /^cors\//,
  },
  {
    fault: 'reads a body of any content type',
    mode: 'dev',
    tamper: async (asked, forward) => {
      const headers = new Headers(asked.headers)
      if (asked.method === 'POST') headers.set('content-type', 'application/json')
      return await forward({ ...asked, headers })
    },
    finds: 'request-shape/content-type',
    fix: /media type/,
    also: /content type before JSON/,
  },
  {
    fault: 'takes a deadline in milliseconds',
    mode: 'dev',
    tamper: changeJob(job =>
      typeof job['deadline'] === 'number' && job['deadline'] > 1e11 && job['deadline'] < 1e14
        ? { ...job, deadline: job['deadline'] / 1_000 }
        : job,
    ),
    finds: 'request-shape/deadline milliseconds',
    fix: /Refuse 1e11 and more/,
    also: /2\^60/,
  },
  {
    fault: 'works on when the deadline has passed',
    mode: 'dev',
    tamper: changeJob(job =>
      typeof job['deadline'] === 'number' && job['deadline'] < 2e9 ? { ...job, deadline: 4e9 } : job,
    ),
    finds: 'deadline/a second ago',
    fix: /Compare the deadline with the clock/,
    also: /^deadline\/|dev-mode\/garbage|deadline before input/,
  },
  {
    fault: 'lists its capabilities wrongly',
    mode: 'dev',
    tamper: changeJson(body =>
      body['error_type'] === 'capability' ? { ...body, error: 'unknown capability' } : body,
    ),
    finds: 'capability/unknown "no-such-capability"',
    fix: /Available: a, b/,
    also: /^capability\/|^request-shape\/|^order\//,
  },
  {
    fault: 'answers with a job_id of its own',
    mode: 'dev',
    tamper: changeJson(body =>
      body['status'] === 'completed' ? { ...body, job_id: '3f8a2c1e-9b4d-4f6a-8c2b-1d5e7f9a0b3c' } : body,
    ),
    finds: 'output/body',
    fix: /job_id as sent/,
  },
  {
    fault: 'gives the time in milliseconds',
    mode: 'dev',
    tamper: changeJson(body =>
      body['status'] === 'completed' ? { ...body, completed_at: Number(body['completed_at']) * 1_000 } : body,
    ),
    finds: 'output/completed_at',
    fix: /seconds, not milliseconds/,
  },
  {
    fault: 'runs a repeat again',
    mode: 'dev',
    tamper: rerunRepeats(),
    finds: 'idempotency/past deadline',
    fix: /stored response/,
    also: /^idempotency\//,
  },
  {
    fault: 'tells callers what its handler threw',
    mode: 'dev',
    tamper: changeJson(
      body =>
        body['status'] === 'completed'
          ? {
              status: 'failed',
              error_type: 'internal',
              error: 'TypeError: x is undefined',
              service_version: '1.0',
            }
          : body,
      500,
    ),
    finds: 'output/failure',
    fix: /"Internal error", and write its message and stack to the log/,
    also: /^order\/capability before/,
  },
  {
    fault: 'hands undeclared fields to its handler',
    mode: 'dev',
    tamper: async (asked, forward) => {
      const answered = await forward(asked)
      const { task } = asked.json
      const input = isObject(task) && isObject(task['input']) ? task['input'] : {}
      return answered.status === 200 && Object.hasOwn(input, 'not_declared')
        ? completed(asked, answered, { received: input })
        : answered
    },
    finds: 'input/undeclared comes back',
    fix: /declared fields alone/,
  },
  {
    fault: 'checks no input',
    mode: 'dev',
    tamper: async (asked, forward) => {
      const answered = await forward(asked)
      return String(answered.json['error']).startsWith('text: ') ? completed(asked, answered) : answered
    },
    finds: 'input/missing',
    fix: /400 with "<field>: <reason>"/,
    also: /^input\//,
  },
  {
    fault: 'does not look at its output before it is paid for it',
    mode: 'paid',
    words: ['--paid', '--max-price', '0.01'],
    tamper: changeJson(body =>
      body['status'] === 'completed' ? { ...body, output: { received: 'x' } } : body,
    ),
    finds: 'output/schema',
    fix: /every declared field, of its declared type/,
  },
  {
    fault: 'gives no receipt',
    mode: 'paid',
    words: ['--paid', '--max-price', '0.01'],
    tamper: changeHeaders(headers => headers.delete('payment-response')),
    finds: 'settlement/receipt',
    fix: /Send PAYMENT-RESPONSE with the 200/,
  },
]

describe('finds the mistake of a developer who', () => {
  test.each(FAULTS)('$fault', async ({ mode, words = [], tamper, finds, fix, also }) => {
    const { code, document } = await check(await agents.serve(mode, tamper), '--only', AREAS, ...words)
    const failed = document.results.filter(({ outcome }) => outcome === 'failed')
    expect(code).toBe(1)
    // No fault makes the kit itself fail.
    expect(failed.filter(({ got }) => got?.startsWith('something else'))).toEqual([])
    expect(document.stopped).toBeNull()
    expect(failed.find(({ id }) => id === finds)).toMatchObject({ fix: expect.stringMatching(fix) })
    expect(failed.map(({ id }) => id).filter(id => id !== finds && also?.test(id) !== true)).toEqual([])
  })
})

/** The sockets of the wrong agents are Node's own, and behave wrongly in ways that are not tested here. */
const AREAS = [...new Set(listChecks().map(areaOf))].filter(area => area !== 'transport').join(',')

function changeHeaders(change: (headers: Headers) => void): Tamper {
  return async (asked, forward) => {
    const answered = await forward(asked)
    const headers = new Headers(answered.headers)
    change(headers)
    return { ...answered, headers }
  }
}

/** Changes answers that are JSON objects; after a change also the status, if one is given. */
function changeJson(change: (body: Json) => Json, status?: number): Tamper {
  return async (asked, forward) => {
    const answered = await forward(asked)
    const changed = change(answered.json)
    if (changed === answered.json || answered.text === '') return answered
    return { ...answered, status: status ?? answered.status, text: JSON.stringify(changed), json: changed }
  }
}

function changeAbout(change: (about: Json) => Json): Tamper {
  return changeJson(body => (Object.hasOwn(body, 'capabilities') ? change(body) : body))
}

function changeRequired(change: (entry: Json) => Json): Tamper {
  return changeHeaders(headers => {
    const required = decodeHeader(headers.get('payment-required') ?? '')
    if (isObject(required)) headers.set('payment-required', encodeHeader(eachEntry(required, change)))
  })
}

/** Changes incoming jobs. */
function changeJob(change: (job: Json) => Json): Tamper {
  return async (asked, forward) => {
    const changed = change(asked.json)
    if (changed === asked.json) return await forward(asked)
    const text = JSON.stringify(changed).padEnd(asked.body.length)
    return await forward({ ...asked, json: changed, body: new TextEncoder().encode(text) })
  }
}

/** Each job request is a new one to the right agent. */
function rerunRepeats(): Tamper {
  return async (asked, forward) => {
    const { job_id } = asked.json
    if (typeof job_id !== 'string' || !UUID.test(job_id)) return await forward(asked)
    const own = randomUUID()
    const answered = await changeJob(job => ({ ...job, job_id: own }))(asked, forward)
    return { ...answered, text: answered.text.replace(own, job_id) }
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}(?!\n)$/i

function eachEntry(body: Json, change: (entry: Json) => Json): Json {
  const { accepts } = body
  return Array.isArray(accepts) ? { ...body, accepts: accepts.map((entry: Json) => change(entry)) } : body
}

/** The correct answer after the job. */
function completed({ json }: Asked, { headers }: Answered, output: object = {}): Answered {
  const completed_at = Math.floor(Date.now() / 1_000)
  const body = { service_version: '1.0', job_id: json['job_id'], status: 'completed', output, completed_at }
  return { status: 200, headers, text: JSON.stringify(body), json: body }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
