import { randomUUID } from 'node:crypto'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { decodePaymentHeader } from '@farebox/payments/x402/payment-header'
import { isJobId } from '@farebox/protocol/job/job-request'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { JobContext } from '../handlers.ts'
import { isHireError } from '../handler/hire-error.ts'
import type { Variables } from '../environment/read-environment.ts'
import { redactorOf } from '../environment/environment-redactor.ts'
import { startHired, type HiredAgent } from './test-setup/hired-agent.ts'
import {
  createHiringAgent,
  HIRING_ADDRESS,
  HIRING_VARIABLES,
  memoryJobStore,
  WALLET,
  type HiringAgent,
  type Work,
} from './test-setup/hiring-agent.ts'

const open: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map(one => one.close()))
})

async function hired(options: Partial<Parameters<typeof startHired>[0]> = {}): Promise<HiredAgent> {
  const one = await startHired({ funded: [HIRING_ADDRESS], ...options })
  open.push(one)
  return one
}

async function hirer(
  work: Work | URL,
  variables: Variables = {},
  jobStore = memoryJobStore(),
): Promise<HiringAgent> {
  const made = await createHiringAgent({ work, variables, jobStore })
  open.push(made.agent)
  return made
}

/** The result of a hire or a summary of its error, as the output of the handler. */
async function problemOf(hire: Promise<unknown>): Promise<string> {
  try {
    return JSON.stringify(await hire)
  } catch (error) {
    if (!isHireError(error)) throw error
    const { problem, charged, childErrorType } = error
    return [problem, charged, childErrorType].filter(part => part !== undefined).join(' ')
  }
}

const deadlineOf = (body: string): number => (JSON.parse(body) as { readonly deadline: number }).deadline

describe('ctx.hire', () => {
  test('orders a job from another agent and pays its price from the hiring wallet, once', async () => {
    const child = await hired()
    const { run, logs } = await hirer(async ({ hire }, text) => {
      const { output, paid, jobId, transaction, resumed } = await hire(child.url, 'part', { text })
      expect(isJobId(jobId)).toBe(true)
      return JSON.stringify({ output, paid, transaction, resumed })
    })
    const { status, text } = await run({ text: 'hi' })
    expect(status).toBe(200)
    expect(JSON.parse(text)).toEqual({
      output: { text: 'hi!' },
      paid: '0.005',
      transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      resumed: false,
    })
    expect(child.gate.counts().charged).toBe(1)
    const decoded = decodePaymentHeader(child.paid[0]?.payment ?? '')
    expect(decoded.ok && decoded.payment.authorization.from).toBe(HIRING_ADDRESS.toLowerCase())
    expect(logs()).toMatch(/hired job=\S+ child=\S+ agent=\S+ paid=0.005/)
    expect(logs()).not.toContain(TEST_KEYS.agent.privateKey.slice(2))
  })

  test('the same key has the same child job, and another key or call has a different one', async () => {
    const child = await hired({ price: '0.001' })
    const { run } = await hirer(async ({ hire }, text) => {
      const [a, b] = await Promise.all([
        hire(child.url, 'part', { text }, { key: 'k' }),
        hire(child.url, 'part', { text }, { key: 'k' }),
      ])
      const c = await hire(child.url, 'part', { text })
      const d = await hire(child.url, 'part', { text })
      return [a.jobId === b.jobId, a.jobId !== c.jobId, c.jobId !== d.jobId].join(' ')
    })
    expect((await run()).text).toBe('true true true')
    expect(child.gate.counts().charged).toBe(3)
  })

  test('a job that is run again gets the result it bought, and another input under its key is refused', async () => {
    const child = await hired()
    let runs = 0
    const { run } = await hirer(async ({ hire }, text) => {
      runs += 1
      if (runs === 3) return await problemOf(hire(child.url, 'part', { text: 'else' }, { key: 'k' }))
      const { output, resumed } = await hire(child.url, 'part', { text }, { key: 'k' })
      if (runs === 1) throw new Error('after it was paid')
      return `${JSON.stringify(output)} ${resumed}`
    })
    const jobId = randomUUID()
    expect((await run({ jobId, text: 'hi' })).status).toBe(500)
    expect((await run({ jobId, text: 'hi' })).text).toBe('{"text":"hi!"} true')
    expect(child.gate.counts().charged).toBe(1)
    const other = randomUUID()
    runs = 0
    await run({ jobId: other })
    runs = 2
    expect((await run({ jobId: other })).text).toBe('conflict no')
    expect(child.gate.counts().charged).toBe(2)
  })

  test('a failed hire is retried under its key with the same payment, and returns the new result', async () => {
    const child = await hired()
    let answers = 0
    child.lie = ({ payment }) => {
      if (payment === undefined || (answers += 1) > 1) return undefined
      const body = { status: 'failed', error_type: 'internal', error: 'Internal error' }
      return Promise.resolve(Response.json(body, { status: 500 }))
    }
    const { run } = await hirer(async ({ hire }, text) => {
      const first = await problemOf(hire(child.url, 'part', { text }, { key: 'k' }))
      const { output } = await hire(child.url, 'part', { text }, { key: 'k' })
      return `${first}, ${JSON.stringify(output)}`
    })
    expect((await run()).text).toBe('failed unknown internal, {"text":"hello!"}')
    expect(new Set(child.paid.map(({ payment }) => payment)).size).toBe(1)
    expect(child.gate.counts().charged).toBe(1)
  })

  test('its deadline is within the deadline of the job, with time left for the rest of the job', async () => {
    const child = await hired()
    const { run } = await hirer(async ({ hire, deadline }, text) => {
      await hire(child.url, 'part', { text })
      return String(deadline)
    })
    const { text } = await run({ deadlineSeconds: 60 })
    expect(deadlineOf(child.paid[0]?.body ?? '')).toBeLessThan(Number(text) - 1)
    const late = await hirer(({ hire }) => problemOf(hire(child.url, 'part', { text: 'x' })))
    expect((await late.run({ deadlineSeconds: 2 })).text).toBe('no time no')
  })

  test('the order has the trace with a span id of its own, and the path with this agent appended', async () => {
    const child = await hired()
    const { run } = await hirer(async ({ hire }, text) =>
      JSON.stringify(await hire(child.url, 'part', { text })),
    )
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
    const first = TEST_KEYS.payer.address
    await run({ headers: { traceparent, 'hire-path': `${first}, rubbish` } })
    const [order] = child.paid
    expect(order?.hirePath).toBe(`${first.toLowerCase()},${WALLET}`)
    expect(order?.traceparent).toMatch(/^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-01$/)
    expect(order?.traceparent).not.toBe(traceparent)
    expect(child.seen.find(({ path }) => path === '/about')?.hirePath).toBeUndefined()
    await run({ headers: { traceparent: 'x\u00e9' } })
    expect(child.paid[1]?.traceparent).toMatch(/^00-(?!4bf9)[0-9a-f]{32}-[0-9a-f]{16}-00$/)
  })

  test('handlers in separate processes hire through the agent, and never have the key', async () => {
    const child = await hired()
    vi.stubEnv('HIRING_PRIVATE_KEY', TEST_KEYS.agent.privateKey)
    const { run } = await hirer(new URL('./hiring-handlers.child.ts', import.meta.url))
    const { text } = await run({ text: 'hi', url: child.url })
    expect(JSON.parse(text)).toEqual({
      output: { text: 'hi!' },
      paid: '0.005',
      budget: { job: '0.009', day: '10' },
      key: 'none',
    })
    const refused = await run({ url: 'http://elsewhere.example' })
    expect(JSON.parse(refused.text)).toMatchObject({ problem: 'arguments', charged: 'no', key: 'none' })
    vi.unstubAllEnvs()
  })
})

describe('the budget', () => {
  test('is 90 % of the price of the job, or less if configured, and hires count towards it', async () => {
    const child = await hired()
    const work: Work = async ({ hire, budget }, text) => {
      const before = await budget()
      await hire(child.url, 'part', { text })
      const after = await budget()
      const second = await problemOf(hire(child.url, 'part', { text }))
      return JSON.stringify([before, after, second])
    }
    const usual = await hirer(work)
    expect(JSON.parse((await usual.run()).text)).toEqual([
      { job: '0.009', day: '10' },
      { job: '0.004', day: '9.995' },
      'budget no',
    ])
    const careful = await hirer(({ hire }, text) => problemOf(hire(child.url, 'part', { text })), {
      HIRING_JOB_PERCENT: '49',
    })
    expect((await careful.run()).text).toBe('refused no')
    expect(child.gate.counts().charged).toBe(1)
  })

  test('of the day stops hiring for all jobs, with a warning in the log', async () => {
    const child = await hired()
    const { run, logs } = await hirer(({ hire }, text) => problemOf(hire(child.url, 'part', { text })), {
      HIRING_DAILY_BUDGET: '0.012',
      HIRING_DAILY_LOSSES: '1',
    })
    await run()
    await run()
    expect((await run()).text).toBe('budget no')
    expect(child.gate.counts().charged).toBe(2)
    expect(logs()).toContain('warning: hiring has stopped: the daily budget is used up')
  })

  test('of losses stops hiring for a payer whose jobs fail, and then for all; paid jobs do not count', async () => {
    const child = await hired()
    let fails = false
    const { run, logs } = await hirer(
      async ({ hire }, text) => {
        const made = await problemOf(hire(child.url, 'part', { text }))
        if (fails && !made.startsWith('budget')) throw new Error('fails after it has paid')
        return made
      },
      { HIRING_DAILY_LOSSES: '0.04' },
    )
    for (let job = 0; job < 6; job += 1) expect((await run()).status).toBe(200)
    fails = true
    expect((await run()).status).toBe(500)
    expect((await run()).status).toBe(500)
    expect((await run()).text).toBe('budget no')
    expect(logs()).toContain('hiring has stopped for one payer')
    expect((await run({ payer: 'secondPayer' })).status).toBe(500)
    expect(child.gate.counts().charged).toBe(9)
  })

  test('attack 29: new payers use up half of the losses, and a payer with a history can still hire', async () => {
    const child = await hired()
    const { run, logs } = await hirer(
      async ({ hire }, text) => {
        const made = await problemOf(hire(child.url, 'part', { text }))
        if (text === 'fail' && !made.startsWith('budget')) throw new Error('fails after it has paid')
        return made
      },
      { HIRING_DAILY_LOSSES: '0.04' },
    )
    for (let job = 0; job < 2; job += 1) expect((await run()).status).toBe(200)
    for (const payer of ['secondPayer', 'thirdAgent'] as const)
      for (let job = 0; job < 2; job += 1) expect((await run({ payer, text: 'fail' })).status).toBe(500)
    expect((await run({ payer: 'fourthAgent' })).text).toBe('budget no')
    expect(logs()).toContain('hiring has stopped for new payers')
    expect((await run()).status).toBe(200)
    expect((await run()).text).toMatch(/^\{/)
  })

  test('is never exceeded by 100 jobs that hire concurrently', async () => {
    const child = await hired({ price: '0.003' })
    const { run } = await hirer(({ hire }, text) => problemOf(hire(child.url, 'part', { text })), {
      HIRING_DAILY_BUDGET: '0.1',
      HIRING_DAILY_LOSSES: '4',
    })
    const ended = await Promise.all(Array.from({ length: 100 }, () => run({ deadlineSeconds: 60 })))
    expect(ended.every(({ status }) => status === 200)).toBe(true)
    const count = (what: RegExp): number => ended.filter(({ text }) => what.test(text)).length
    expect(count(/^\{/)).toBeGreaterThan(0)
    expect(child.gate.counts().charged).toBeLessThanOrEqual(33)
    expect(new Set(child.paid.map(({ payment }) => payment)).size).toBeLessThanOrEqual(33)
    // Apart from jobs that a busy machine delayed too long, 33 hires are paid and the others refused.
    const late = 100 - count(/^(?:\{|budget no$)/)
    expect(count(/^budget no$/)).toBeGreaterThanOrEqual(67 - late)
  })

  test('is never exceeded by 100 concurrent hires of one job', async () => {
    const child = await hired({ price: '0.0004' })
    const { run } = await hirer(async ({ hire }, text) => {
      const hires = Array.from({ length: 100 }, () => problemOf(hire(child.url, 'part', { text })))
      const made = await Promise.all(hires)
      return JSON.stringify(made.map(one => (one.startsWith('{') ? 'done' : one)))
    })
    const made = JSON.parse((await run({ deadlineSeconds: 60 })).text) as readonly string[]
    const count = (what: string): number => made.filter(one => one === what).length
    expect(count('done')).toBeLessThanOrEqual(22)
    // Apart from hires that a busy machine delayed too long, 22 are paid and the others refused.
    const late = 100 - count('done') - count('budget no')
    expect(count('budget no')).toBeGreaterThanOrEqual(78 - late)
    expect(child.gate.counts().charged).toBeLessThanOrEqual(22)
  })
})

describe('a hired agent', () => {
  const cases: { readonly [what: string]: readonly [HiredAgent['lie'], string] } = {
    'asks for more than it declares': [
      ({ path, payment }, honest) =>
        path === '/execute' && payment === undefined ? dearer(honest) : undefined,
      'refused no',
    ],
    'asks for payment to another wallet': [
      ({ path, payment }, honest) =>
        path === '/execute' && payment === undefined
          ? changed(honest, text => text.replaceAll(/c41d0/gi, 'c41d1'))
          : undefined,
      'refused no',
    ],
    redirects: [
      ({ path }) =>
        path === '/execute'
          ? Promise.resolve(new Response(null, { status: 307, headers: { location: 'http://127.0.0.1:1/' } }))
          : undefined,
      'unreachable no',
    ],
    'redirects where it is asked what it is': [
      ({ path }) =>
        path === '/about'
          ? Promise.resolve(new Response(null, { status: 302, headers: { location: 'http://127.0.0.1:1/' } }))
          : undefined,
      'unreachable no',
    ],
    'sends a body without an end': [
      ({ payment }) => (payment === undefined ? undefined : Promise.resolve(endless())),
      'unknown unknown',
    ],
    'never answers a paid order': [
      ({ payment }) => (payment === undefined ? undefined : Promise.resolve('never')),
      'unknown unknown',
    ],
    'says that the job failed': [
      ({ payment }) =>
        payment === undefined
          ? undefined
          : Promise.resolve(
              Response.json(
                { status: 'failed', error_type: 'internal', error: 'Internal error' },
                { status: 500 },
              ),
            ),
      'failed unknown internal',
    ],
    'delivers what it does not declare': [
      ({ payment }, honest) =>
        payment === undefined ? undefined : changed(honest, text => text.replace('"text"', '"other"')),
      'output yes',
    ],
    'delivers more than is taken': [
      ({ payment }, honest) =>
        payment === undefined
          ? undefined
          : changed(honest, text => text.replace('hello!', 'x'.repeat(300_000))),
      'output yes',
    ],
  }
  test.each(Object.entries(cases))(
    'that %s costs at most its price, which is counted if a payment was signed',
    async (_, [lie, expected]) => {
      const child = await hired()
      child.lie = lie
      const { run } = await hirer(async ({ hire, budget }, text) => {
        const problem = await problemOf(hire(child.url, 'part', { text }))
        return `${problem}, ${(await budget()).job} left`
      })
      const { text } = await run({ deadlineSeconds: 10 })
      const isSigned = child.paid.length > 0
      expect(text).toBe(`${expected}, ${isSigned ? '0.004' : '0.009'} left`)
      expect(new Set(child.paid.map(({ payment }) => payment)).size).toBeLessThanOrEqual(1)
    },
  )

  test('that answers 200 without a settlement counts as paid, with a warning', async () => {
    const child = await hired()
    child.lie = ({ payment }, honest) =>
      payment === undefined
        ? undefined
        : honest().then(
            async response =>
              new Response(await response.text(), { headers: { 'content-type': 'application/json' } }),
          )
    const { run, logs } = await hirer(async ({ hire, budget }, text) => {
      const { paid, transaction } = await hire(child.url, 'part', { text })
      return `${paid} ${transaction} ${(await budget()).job}`
    })
    expect((await run()).text).toBe('0.005 undefined 0.004')
    expect(logs()).toContain('a hired agent answered without a valid receipt')
  })

  test('that is this agent, by its wallet, its URL or its hiring wallet, is refused', async () => {
    const [own, purse, self] = await Promise.all([
      hired({ wallet: WALLET }),
      hired({ wallet: HIRING_ADDRESS }),
      hired(),
    ])
    const { run } = await hirer(
      async ({ hire }, text) =>
        (await Promise.all([own, purse, self].map(one => problemOf(hire(one.url, 'part', { text }))))).join(),
      { SERVICE_PUBLIC_URL: self.url },
    )
    const { text } = await run()
    expect(text).toBe('loop no,loop no,loop no')
    expect([own, purse, self].flatMap(({ paid }) => paid)).toEqual([])
  })

  test('that is in the path, or follows this agent in it, or is beyond eight agents, is refused', async () => {
    const child = await hired()
    const { run } = await hirer(({ hire }, text) => problemOf(hire(child.url, 'part', { text })))
    const paths = [child.agent.declaration.wallet, WALLET, Array(8).fill(TEST_KEYS.payer.address).join()]
    for (const path of paths) expect((await run({ headers: { 'hire-path': path } })).text).toBe('loop no')
    expect(child.paid).toEqual([])
  })

  test('gets no request when an argument of the handler is invalid', async () => {
    const child = await hired()
    const { run } = await hirer(async ({ hire }) => {
      const loose = hire as (...given: readonly unknown[]) => Promise<unknown>
      const circle: { self?: unknown } = {}
      circle.self = circle
      const given = [
        [7, 'part', {}],
        ['ftp://agent.example', 'part', {}],
        ['http://agent.example', 'part', {}],
        [child.url, 7, {}],
        [child.url, 'part', 'text'],
        [child.url, 'part', circle],
        [child.url, 'part', {}, { maxPrice: '-1' }],
        [child.url, 'part', {}, { key: '' }],
        [child.url, 'part', { text: 'x'.repeat(1_048_576) }],
      ]
      return (await Promise.all(given.map(one => problemOf(loose(...one))))).join()
    })
    expect((await run()).text).toBe(Array(9).fill('arguments no').join())
    expect(child.paid).toEqual([])
  })

  test('in dev mode is hired if it is free, and refused if it asks for a payment', async () => {
    const [free, paid] = await Promise.all([hired({ devMode: true, wallet: WALLET }), hired()])
    const { run } = await hirer(
      async ({ hire, budget }, text) => {
        const { output, paid: price } = await hire(free.url, 'part', { text })
        const other = await problemOf(hire(paid.url, 'part', { text }))
        return JSON.stringify([output, price, other, await budget()])
      },
      { SERVICE_DEV_MODE: 'true', HIRING_PRIVATE_KEY: '' },
    )
    expect(JSON.parse((await run()).text)).toEqual([
      { text: 'hello!' },
      '0',
      'refused no',
      { job: '0', day: '0' },
    ])
  })
})

describe('the hiring key', () => {
  const work = ({ hire }: JobContext, text: string) =>
    problemOf(hire('https://agent.example', 'part', { text }))

  test.each([
    ['no key at all', '0x12'],
    ['zero', `0x${'0'.repeat(64)}`],
    ['the spender’s', TEST_KEYS.agent.privateKey],
  ])('is refused at the start when it is %s', async (_, key) => {
    const variables = { HIRING_PRIVATE_KEY: key, SPENDER_PRIVATE_KEY: TEST_KEYS.agent.privateKey }
    await expect(hirer(work, variables)).rejects.toMatchObject({ variable: 'HIRING_PRIVATE_KEY' })
  })

  test('is refused at the start when it is the key of the receiving wallet', async () => {
    const variables = { AGENT_WALLET_ADDRESS: HIRING_ADDRESS }
    await expect(hirer(work, variables)).rejects.toMatchObject({ variable: 'HIRING_PRIVATE_KEY' })
  })

  test('is hidden in all written texts', () => {
    const hide = redactorOf(HIRING_VARIABLES)
    expect(hide(`key ${TEST_KEYS.agent.privateKey}`)).toBe('key [hidden]')
  })

  test('may be missing: hires are refused, and the agent serves other jobs', async () => {
    const { run } = await hirer(work, { HIRING_PRIVATE_KEY: '' })
    expect(await run()).toMatchObject({ status: 200, text: 'refused no' })
  })
})

async function changed(honest: () => Promise<Response>, change: (text: string) => string): Promise<Response> {
  const response = await honest()
  const headers = new Headers(response.headers)
  const required = headers.get('payment-required')
  if (required !== null)
    headers.set(
      'payment-required',
      Buffer.from(change(Buffer.from(required, 'base64').toString())).toString('base64'),
    )
  headers.delete('content-length')
  return new Response(change(await response.text()), { status: response.status, headers })
}

function dearer(honest: () => Promise<Response>): Promise<Response> {
  return changed(honest, text => text.replaceAll('"5000"', '"5001"'))
}

function endless(): Response {
  const piece = new TextEncoder().encode(' '.repeat(65_536))
  const body = new ReadableStream({ pull: controller => controller.enqueue(piece) })
  return new Response(body, { headers: { 'content-type': 'application/json' } })
}
