import { inspect } from 'node:util'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Flow } from '@farebox/flows/document/flow'
import { flowOf, jobStep, QR, SUMMARY, SUMMARY_AND_QR } from '@farebox/flows/src/test-setup/sample-flows'
import { loadEvmCrypto, type EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { decodePaymentHeader } from '@farebox/payments/x402/payment-header'
import { privateKeySigner, type PaymentSigner } from '@farebox/payments/x402/sign-payment'
import type { RunAnswer, RunProgress } from '@farebox/platform-api/flows/runs'
import { createTestClock, type TestClock } from '../testing/clock.ts'
import { PlatformRefused } from './exchange/platform-errors.ts'
import { runFlow } from './run-flow.ts'
import {
  PaymentNeeded,
  PersonNeeded,
  RunHalted,
  RunRefused,
  RunStopped,
  RunUnresolved,
  StepFailed,
} from './run/run-errors.ts'
import type { RunFlowOptions } from './run/run-options.ts'
import type { RunRecord } from './run/run-record.ts'
import { cancelRun, readRun } from './control-run.ts'
import { startRunPlatform, type RunPlatform } from './test-setup/run-platform.ts'

const NOW = 1_800_000_000
const KEY = '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a'
const INPUT = { article: 'Long.' }
const WORK = jobStep({ text: { type: 'string' } }, { text: { type: 'string' } }, { price: '0.01' })

/** A summary, and, after a person has approved it, a QR code of it. */
const APPROVED = flowOf(
  { article: { type: 'string', required: true } },
  { summary: SUMMARY, ok: { kind: 'approval', question: 'Print it?' }, qr: QR },
  [
    'input.article > summary.text',
    'summary.summary > ok.value',
    'ok.approved > qr.content',
    'qr.svg > output.code',
  ],
)

let crypto: EvmCrypto
let clock: TestClock
let platform: RunPlatform
let signed: number
let journal: RunRecord[]
let seen: RunProgress[]

beforeAll(async () => {
  crypto = await loadEvmCrypto()
})

beforeEach(async () => {
  clock = createTestClock(NOW)
  platform = await startRunPlatform(crypto, clock)
  ;[signed, journal, seen] = [0, [], []]
  platform.agents.set('summarize', () => ({ output: { summary: 'Short.', links: ['https://x.example'] } }))
})

afterEach(() => platform.close())

function signer(): PaymentSigner {
  const inner = privateKeySigner(crypto, KEY)
  return {
    address: inner.address,
    async signTypedData(typedData) {
      signed += 1
      return await inner.signTypedData(typedData)
    },
  }
}

async function run(flow: Flow = SUMMARY_AND_QR, options: Partial<RunFlowOptions> = {}) {
  return await runFlow(platform.url, flow, INPUT, {
    signer: signer(),
    maxTotal: '0.05',
    clock,
    journal: record => void journal.push(record),
    onProgress: progress => void seen.push(progress),
    ...options,
  })
}

/** The charged amounts, by key. */
function charged(): { readonly [key: string]: string } {
  expect(new Set(platform.charges.map(({ key }) => key)).size).toBe(platform.charges.length)
  return Object.fromEntries(platform.charges.map(({ key, amount }) => [key, amount]))
}

async function failure<Thrown>(
  work: Promise<unknown>,
  type: new (...args: never[]) => Thrown,
): Promise<Thrown> {
  const error: unknown = await work.then(
    () => 'it was done',
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(type)
  return error as Thrown
}

describe('a flow is run to its end', () => {
  test.each(['upfront', 'just-in-time'] as const)(
    'with payments signed %s, each charged once',
    async sign => {
      const { output, paid, run: last } = await run(SUMMARY_AND_QR, { sign })
      expect(output).toEqual({ summary: 'Short.', code: 'svg of it' })
      expect([paid, last.status]).toEqual(['0.015', 'completed'])
      expect(charged()).toEqual({ summary: '0.01', qr: '0.005' })
      expect(signed).toBe(2)
    },
  )

  test('by polling only, when there are no server-sent events', async () => {
    platform.hasEvents = false
    expect((await run()).output).toEqual({ summary: 'Short.', code: 'svg of it' })
    expect(seen.at(-1)?.status).toBe('completed')
  })

  test('a list is paid item by item, as the list arrived', async () => {
    const each = flowOf(
      { article: { type: 'string', required: true } },
      {
        words: { kind: 'split', separator: ' ', most: 3 },
        shout: { ...WORK, map: { port: 'text', most: 3 } },
      },
      ['input.article > words.text', 'words.list > shout.text', 'shout.text > output.texts'],
    )
    const { output } = await runFlow(
      platform.url,
      each,
      { article: 'a b' },
      { signer: signer(), maxTotal: '0.03', clock },
    )
    expect(output).toEqual({ texts: ['text of it', 'text of it'] })
    expect(charged()).toEqual({ 'shout#0': '0.01', 'shout#1': '0.01' })
  })

  test('every payment is bound to its job and valid until its step is over', async () => {
    await run()
    const request = JSON.parse(journal[0]?.request ?? '') as { payments: { payment: string }[] }
    for (const { payment } of request.payments) {
      const decoded = decodePaymentHeader(payment)
      if (!decoded.ok) throw new Error(decoded.reason)
      expect(decoded.payment.authorization.nonce).toMatch(/^0x66617265/)
      expect(Number(decoded.payment.authorization.validBefore)).toBe(NOW + 900)
    }
  })

  test('a person at the terminal is asked', async () => {
    const questions: unknown[] = []
    const { output } = await run(APPROVED, {
      approve: asked => {
        questions.push(asked)
        return true
      },
    })
    expect(questions).toEqual([{ step: 'ok', question: 'Print it?', value: 'Short.' }])
    expect(output).toEqual({ code: 'svg of it' })
    expect(charged()).toEqual({ summary: '0.01', qr: '0.005' })
  })
})

describe('before anything is signed', () => {
  test.each([
    ['more than maxTotal', { maxTotal: '0.014999' }, 'max-total', 'the flow can cost 0.015 USDC'],
    [
      'a network that is not wanted',
      { networks: ['eip155:8453'] },
      'offer',
      'summary: the network must be one of',
    ],
  ] as const)('%s is refused', async (_, options, refusal, message) => {
    const error = await failure(run(SUMMARY_AND_QR, options), RunRefused)
    expect([error.refusal, error.message]).toEqual([refusal, expect.stringContaining(message)])
    expect([signed, platform.seen, journal]).toEqual([0, ['POST /v1/runs/quote'], []])
  })

  test('a price above the pinned one is refused, a lower one is accepted', async () => {
    platform.prices.set('encode', '0.005001')
    const error = await failure(run(), RunRefused)
    expect([error.refusal, error.step]).toEqual(['price', 'qr'])
    platform.prices.set('encode', '0.004')
    await run()
    expect(charged()).toEqual({ summary: '0.01', qr: '0.004' })
  })

  test('an agent without a price, and a missing job, are refused', async () => {
    platform.prices.set('encode', null)
    expect((await failure(run(), RunRefused)).message).toContain('qr: The agent does not answer.')
    platform.prices.delete('encode')
    platform.lie = (_, answer) =>
      'jobs' in answer ? { ...answer, jobs: (answer.jobs as []).slice(1) } : answer
    expect((await failure(run(), RunRefused)).step).toBe('summary')
    expect(signed).toBe(0)
  })

  test.each([
    ['agent_id', 2],
    ['capability', 'steal'],
    ['amount', '0.002'],
    ['amount_atomic', '20000'],
    ['pay_to', `0x${'9'.repeat(40)}`],
    ['asset', `0x${'9'.repeat(40)}`],
    ['payment_requirement.amount', '20000'],
    ['payment_requirement.payTo', `0x${'9'.repeat(40)}`],
    ['payment_requirement.asset', `0x${'9'.repeat(40)}`],
    ['payment_requirement.network', 'eip155:8453'],
  ])('a platform that quotes another %s is refused', async (path, value) => {
    platform.lie = (_, answer) => {
      if (!('jobs' in answer)) return answer
      const copy = structuredClone(answer) as { jobs: { quote: { [key: string]: unknown } }[] }
      const quote = copy.jobs[0]?.quote ?? {}
      const [outer = '', inner] = path.split('.')
      if (inner === undefined) quote[outer] = value
      else (quote[outer] as { [key: string]: unknown })[inner] = value
      return copy
    }
    expect((await failure(run(), RunRefused)).refusal).toBe('offer')
    expect(signed).toBe(0)
  })

  test('with branches, later payments count the most expensive way, payments at the start all of them', async () => {
    const either = flowOf(
      { article: { type: 'string', required: true } },
      {
        short: { kind: 'branch', condition: { is: 'containing', value: 'Long' } },
        one: WORK,
        other: WORK,
        out: { kind: 'first', count: 2 },
      },
      [
        'input.article > short.value',
        'short.then > one.text',
        'short.else > other.text',
        'one.text > out.1',
        'other.text > out.2',
        'out.value > output.text',
      ],
    )
    expect((await failure(run(either, { maxTotal: '0.01' }), RunRefused)).refusal).toBe('max-total')
    await run(either, { maxTotal: '0.01', sign: 'just-in-time' })
    expect(charged()).toEqual({ one: '0.01' })
  })

  test('a payer who does not agree to the prices signs nothing', async () => {
    const refused = run(SUMMARY_AND_QR, {
      agree: ({ jobs }) => {
        throw new Error(`${jobs.length} jobs are too many`)
      },
    })
    await expect(refused).rejects.toThrow('2 jobs are too many')
    expect(signed).toBe(0)
  })

  test.each([
    [
      'http of another machine',
      () => runFlow('http://far.example', SUMMARY_AND_QR, {}, { signer: signer(), maxTotal: '1' }),
    ],
    ['a maxTotal that is none', () => run(SUMMARY_AND_QR, { maxTotal: '1e3' })],
    ['a flow that is none', () => run(JSON.parse('{}'))],
    ['a run_id that is none', () => run(SUMMARY_AND_QR, { runId: '../me' })],
    ['a token that is none', () => run(SUMMARY_AND_QR, { token: 'secret' })],
  ])('%s is a caller error', async (_, work) => {
    await expect(work()).rejects.toThrow(/platform URL|maxTotal|flow|runId|token/)
    expect([signed, platform.seen]).toEqual([0, []])
  })
})

describe('nothing is paid twice', () => {
  test('the run is journalled with its payments before any of it is sent', async () => {
    const order: string[] = []
    await run(SUMMARY_AND_QR, {
      sign: 'just-in-time',
      journal: record => {
        order.push(`${platform.seen.at(-1)} then journal of ${record.payments.length}`)
      },
    })
    expect(order).toEqual([
      'POST /v1/runs/quote then journal of 0',
      'POST /v1/runs/quote then journal of 1',
      'POST /v1/runs/quote then journal of 2',
    ])
  })

  test('a run that cannot be journalled is not started', async () => {
    const refused = run(SUMMARY_AND_QR, { journal: () => Promise.reject(new Error('disk full')) })
    await expect(refused).rejects.toThrow('disk full')
    expect(platform.seen).toEqual(['POST /v1/runs/quote'])
  })

  test.each(['before', 'after'] as const)(
    'a start that is lost %s it was received is sent again unchanged',
    async when => {
      let losses = 3
      platform.cut = request => (request === 'POST /v1/runs' && losses-- > 0 ? when : undefined)
      await run()
      expect(platform.seen.filter(one => one === 'POST /v1/runs')).toHaveLength(4)
      expect(charged()).toEqual({ summary: '0.01', qr: '0.005' })
      expect(signed).toBe(2)
    },
  )

  test.each(['before', 'after'] as const)(
    'payments that are lost %s they were received are sent again unchanged',
    async when => {
      let losses = 3
      platform.cut = request => (request.startsWith('PUT') && losses-- > 0 ? when : undefined)
      await run(SUMMARY_AND_QR, { sign: 'just-in-time' })
      expect(charged()).toEqual({ summary: '0.01', qr: '0.005' })
      expect(signed).toBe(2)
    },
  )

  test('when every response except the events is lost once, the run reaches its end', async () => {
    const lost = new Set<string>()
    platform.cut = request => {
      if (lost.has(request) || request.endsWith('/quote')) return undefined
      lost.add(request)
      return 'after'
    }
    await run(APPROVED, { approve: () => true, sign: 'just-in-time' })
    expect(charged()).toEqual({ summary: '0.01', qr: '0.005' })
    expect(signed).toBe(2)
  })

  test('a token that the platform creates is journalled too', async () => {
    platform.keepsTokens = false
    await run()
    const [first, second] = journal
    expect(second?.token).not.toBe(first?.token)
    expect(second?.request).toBe(first?.request)
  })
})

describe('a run that waits', () => {
  test('signs again at a new price, each signature within maxTotal', async () => {
    platform.agents.set('summarize', () => {
      platform.prices.set('encode', '0.007')
      return { output: { summary: 'Short.', links: ['https://x.example'] } }
    })
    const { paid } = await run(SUMMARY_AND_QR, { maxTotal: '0.022' })
    expect([paid, signed]).toEqual(['0.017', 3])
  })

  test('does not sign again when all signatures together would exceed maxTotal', async () => {
    platform.agents.set('summarize', () => {
      platform.prices.set('encode', '0.007')
      return { output: { summary: 'Short.', links: ['https://x.example'] } }
    })
    // The engine would accept it: as the platform says, the first signature was deleted.
    const error = await failure(run(SUMMARY_AND_QR, { maxTotal: '0.021' }), PaymentNeeded)
    expect([error.key, error.because, signed]).toEqual(['qr', 'changed', 2])
    expect(error.message).toContain('with it 0.022 USDC would be signed for in all')
    expect(charged()).toEqual({ summary: '0.01' })
  })

  test('signs no more than maxTotal for a platform that asks again and again', async () => {
    platform.lie = (_, answer) => {
      const soon = { valid_for_seconds: 90 }
      if ('jobs' in answer)
        return { ...answer, jobs: (answer.jobs as object[]).map(job => ({ ...job, ...soon })) }
      return 'waiting' in answer
        ? {
            ...answer,
            status: 'waiting',
            waiting: [{ for: 'payment', key: 'qr', because: { kind: 'dead' } }],
            changed_at: NOW,
          }
        : answer
    }
    platform.hasEvents = false
    platform.agents.set('summarize', () => undefined)
    const error = await failure(run(SUMMARY_AND_QR, { maxTotal: '0.03' }), PaymentNeeded)
    expect(error.message).toContain('more than maxTotal')
    // 0.01, and four times 0.005.
    expect(signed).toBe(5)
  })

  test('reports a step that failed and was not charged', async () => {
    platform.agents.set('summarize', () => {
      platform.prices.set('encode', null)
      return { output: { summary: 'Short.', links: ['https://x.example'] } }
    })
    const error = await failure(run(), StepFailed)
    expect(error).toMatchObject({ step: 'qr', key: 'qr', charged: 'no', errorType: 'unreachable' })
    expect(error.message).toContain('qr failed, not charged: The platform could not get the agent’s price.')
    expect(error.run?.paid).toBe('0.01')
    expect(charged()).toEqual({ summary: '0.01' })
  })

  test('reports until when a failed step may be charged', async () => {
    platform.agents.set('encode', () => ({ error: 'out of ink' }))
    const error = await failure(run(), StepFailed)
    expect(error).toMatchObject({ charged: 'maybe', chargeableUntil: NOW + 1_020, reason: 'out of ink' })
  })

  test('never pays again for a step that was charged', async () => {
    platform.agents.set('encode', () => ({ error: 'out of ink', charged: true }))
    const error = await failure(run(), StepFailed)
    expect([error.charged, signed]).toEqual(['yes', 2])
  })

  test('reports a free step that failed', async () => {
    platform.agents.set('summarize', () => ({ output: { summary: 'Short.', links: [] } }))
    const error = await failure(run(SUMMARY_AND_QR, { sign: 'just-in-time' }), StepFailed)
    expect(error).toMatchObject({ step: 'link', charged: 'no' })
    expect(signed).toBe(1)
  })

  test('reports that a person is needed, and signs nothing for later steps', async () => {
    const error = await failure(run(APPROVED), PersonNeeded)
    expect(error).toMatchObject({ step: 'ok', question: 'Print it?', value: 'Short.' })
    expect(signed).toBe(1)
  })

  test('reports that it was cancelled', async () => {
    platform.agents.set('encode', () => undefined)
    let cancelling: Promise<RunAnswer> | undefined
    const work = run(SUMMARY_AND_QR, {
      onProgress: ({ steps }) => {
        const isSent = steps.some(({ jobs }) =>
          jobs.some(({ key, state }) => key === 'qr' && state === 'sent'),
        )
        const [record] = journal
        if (isSent && record !== undefined) cancelling ??= cancelRun(record, { clock })
      },
    })
    expect((await failure(work, RunStopped)).status).toBe('cancelled')
    expect((await cancelling)?.status).toBe('cancelled')
  })

  test('an abort stops following the run, which continues', async () => {
    const stop = new AbortController()
    let finish = (): void => undefined
    platform.agents.set('summarize', async () => {
      stop.abort()
      await new Promise<void>(resolve => (finish = resolve))
      return { output: { summary: 'Short.', links: ['https://x.example'] } }
    })
    const error = await failure(run(SUMMARY_AND_QR, { signal: stop.signal }), RunUnresolved)
    expect(error.message).toContain('the call was aborted, the run goes on')
    finish()
    await expect.poll(async () => (await readRun(error.handle, { clock })).status).toBe('completed')
  })
})

test('a refusal by the platform has the platform’s message', async () => {
  const refused = runFlow(platform.url, SUMMARY_AND_QR, {}, { signer: signer(), maxTotal: '1', clock })
  const error = await failure(refused, PlatformRefused)
  expect([error.httpStatus, error.message]).toEqual([400, expect.stringContaining('article')])
})

test('neither token nor payments are in a printed error', async () => {
  platform.agents.set('encode', () => ({ error: 'out of ink' }))
  const error = await failure(run(), RunHalted)
  const printed = inspect(error, { depth: 10 }) + JSON.stringify(error)
  const { token = '', request = '' } = journal[0] ?? {}
  const [payment] = (JSON.parse(request) as { payments: { payment: string }[] }).payments
  expect(token).not.toBe('')
  expect(printed).not.toContain(token)
  expect(printed).not.toContain(payment?.payment)
})
