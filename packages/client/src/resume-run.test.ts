import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Flow } from '@farebox/flows/document/flow'
import { flowOf, QR, SUMMARY, SUMMARY_AND_QR } from '@farebox/flows/src/test-setup/sample-flows'
import { loadEvmCrypto, type EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { privateKeySigner, type PaymentSigner } from '@farebox/payments/x402/sign-payment'
import { createTestClock, type TestClock } from '../testing/clock.ts'
import { answerRun, cancelRun, pauseRun, readRun } from './control-run.ts'
import { PlatformRefused } from './exchange/platform-errors.ts'
import { resumeRun, type ResumeRunOptions } from './resume-run.ts'
import { runFlow } from './run-flow.ts'
import { PaymentNeeded, RunUnresolved, StepFailed } from './run/run-errors.ts'
import type { RunFlowOptions } from './run/run-options.ts'
import type { RunHandle, RunRecord } from './run/run-record.ts'
import { startRunPlatform, type RunPlatform } from './test-setup/run-platform.ts'

const NOW = 1_800_000_000
const KEY = '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a'
const OUTPUT = { summary: 'Short.', code: 'svg of it' }
const ALL = [
  ['summary', '0.01'],
  ['qr', '0.005'],
]

let crypto: EvmCrypto
let clock: TestClock
let platform: RunPlatform
let signed: number

beforeAll(async () => {
  crypto = await loadEvmCrypto()
})

beforeEach(async () => {
  clock = createTestClock(NOW)
  platform = await startRunPlatform(crypto, clock)
  signed = 0
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

/** Runs a flow in a process that dies where `dies` says so; resolves to the journalled record. */
async function killed(
  dies: (request: string) => boolean,
  options: Partial<RunFlowOptions> = {},
): Promise<RunRecord> {
  const stop = new AbortController()
  let record: RunRecord | undefined
  platform.cut = request => {
    if (!dies(request)) return undefined
    stop.abort(new Error('killed'))
    return 'before'
  }
  const work = runFlow(
    platform.url,
    SUMMARY_AND_QR,
    { article: 'Long.' },
    {
      signer: signer(),
      maxTotal: '0.05',
      clock,
      signal: stop.signal,
      journal: one => void (record = one),
      ...options,
    },
  )
  await expect(work).rejects.toBeInstanceOf(RunUnresolved)
  platform.cut = () => undefined
  if (record === undefined) throw new Error('nothing was written down')
  // As if read back from a file.
  return JSON.parse(JSON.stringify(record)) as RunRecord
}

async function resume(run: RunHandle | RunRecord, options: ResumeRunOptions = {}) {
  return await resumeRun(run, { clock, ...options })
}

function charges() {
  return platform.charges.map(({ key, amount }) => [key, amount])
}

describe('a run is resumed by its record', () => {
  test('when its start never arrived', async () => {
    const record = await killed(request => request === 'POST /v1/runs')
    expect(() => platform.show(record.runId)).toThrow('No such run')
    expect((await resume(record)).output).toEqual(OUTPUT)
    expect([charges(), signed]).toEqual([ALL, 2])
  })

  test('when its start arrived', async () => {
    const record = await killed(request => request.endsWith('/events'))
    expect((await resume(record)).output).toEqual(OUTPUT)
    expect((await resume(record)).paid).toBe('0.015')
    expect([charges(), signed]).toEqual([ALL, 2])
  })

  test('when a payment was journalled and never arrived: it is sent, and no other is signed', async () => {
    const record = await killed(request => request.startsWith('PUT'), { sign: 'just-in-time' })
    expect([record.payments.length, signed]).toEqual([1, 1])
    const error = await resume(record).catch((thrown: unknown) => thrown)
    // It is for the first job; there is no signer for the second.
    expect(error).toBeInstanceOf(PaymentNeeded)
    expect([charges(), signed]).toEqual([[['summary', '0.01']], 1])
    const kept: RunRecord[] = []
    const result = await resume(record, { signer: signer(), journal: one => void kept.push(one) })
    expect(result.output).toEqual(OUTPUT)
    expect([charges(), signed]).toEqual([ALL, 2])
    expect(kept.map(({ payments }) => payments.map(({ key }) => key))).toEqual([['summary', 'qr']])
    expect(kept[0]?.request).toBe(record.request)
  })

  test('and its limit counts earlier signatures', async () => {
    const record = await killed(request => request.startsWith('PUT'), {
      sign: 'just-in-time',
      maxTotal: '0.015',
    })
    const lower = resume(record, { signer: signer(), maxTotal: '0.014' })
    await expect(lower).rejects.toThrow('more than maxTotal: with it 0.015 USDC')
    expect((await resume(record, { signer: signer() })).paid).toBe('0.015')
  })

  test.each([
    ['no object', 'text'],
    ['the URL of another protocol', { platformUrl: 'file:///etc' }],
    ['a token with a line break', { token: 'a\nb' }],
    ['a request that is none', { request: '{}' }],
    ['a request of another run', { runId: newId() }],
    ['payments that are none', { payments: [{ key: 'summary' }] }],
    ['a payment that cannot be read', { payments: [{ key: 'summary', job_id: newId(), payment: 'x' }] }],
  ])('%s is refused, and nothing is sent', async (_, change) => {
    const record = await killed(request => request === 'POST /v1/runs')
    const damaged = typeof change === 'string' ? change : { ...record, ...change }
    platform.seen.length = 0
    await expect(resume(damaged as RunRecord)).rejects.toBeInstanceOf(TypeError)
    expect(platform.seen).toEqual([])
  })
})

describe('a run is resumed by its handle', () => {
  async function started(): Promise<RunHandle> {
    const { platformUrl, runId, token } = await killed(request => request.endsWith('/events'))
    return { platformUrl, runId, ...(token !== undefined && { token }) }
  }

  test('with the flow that the platform has', async () => {
    expect((await resume(await started())).output).toEqual(OUTPUT)
    expect(charges()).toEqual(ALL)
  })

  test('and another token is refused', async () => {
    const error = await resume({ ...(await started()), token: 'x'.repeat(43) }).catch(
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(PlatformRefused)
    expect(error).toMatchObject({ httpStatus: 404, errorType: 'not_found' })
  })

  test('and a session of the payer works like its token', async () => {
    const { platformUrl, runId } = await started()
    expect((await resume({ platformUrl, runId, session: platform.session })).output).toEqual(OUTPUT)
  })
})

describe('a run is continued', () => {
  test('after it was paused', async () => {
    let record: RunRecord = { platformUrl: platform.url, runId: '', payments: [] }
    platform.agents.set('summarize', async () => {
      await pauseRun(record, { clock })
      return { output: { summary: 'Short.', links: ['https://x.example'] } }
    })
    const work = run(SUMMARY_AND_QR, one => void (record = one))
    await expect(work).rejects.toThrow('it was paused')
    await expect.poll(charges).toEqual([['summary', '0.01']])
    expect((await resume(record)).output).toEqual(OUTPUT)
    expect([charges(), signed]).toEqual([ALL, 2])
  })

  /** A run of a flow with payments signed at the start. */
  async function run(flow: Flow, journal: (record: RunRecord) => void, maxTotal = '0.05') {
    const options = { signer: signer(), maxTotal, clock, journal }
    return await runFlow(platform.url, flow, { article: 'Long.' }, options)
  }

  /** A run that has failed, and its record. */
  async function failedRun(maxTotal?: string): Promise<RunRecord> {
    let record: RunRecord | undefined
    const work = run(SUMMARY_AND_QR, one => void (record = one), maxTotal)
    await expect(work).rejects.toBeInstanceOf(StepFailed)
    if (record === undefined) throw new Error('nothing was written down')
    return record
  }

  test('a failed step is requested again with the same payment', async () => {
    platform.agents.set('encode', (_, attempt) =>
      attempt === 1 ? { error: 'out of ink' } : { output: { svg: `attempt ${attempt}` } },
    )
    const record = await failedRun()
    expect((await resume(record)).output).toEqual({ ...OUTPUT, code: 'attempt 2' })
    expect([charges(), signed]).toEqual([ALL, 2])
  })

  test('a step that was charged without a result is paid again only when the caller allows it', async () => {
    platform.agents.set('encode', () => ({ error: 'out of ink', charged: true }))
    const record = await failedRun('0.015')
    platform.agents.delete('encode')
    await expect(resume(record, { signer: signer() })).rejects.toMatchObject({ charged: 'yes' })
    await expect(resume(record, { signer: signer(), payAgain: true })).rejects.toBeInstanceOf(PaymentNeeded)
    expect([charges(), signed]).toEqual([ALL, 2])
    const raised = { signer: signer(), payAgain: true, maxTotal: '0.02' }
    expect((await resume(record, raised)).paid).toBe('0.02')
    expect([charges(), signed]).toEqual([[...ALL, ['qr', '0.005']], 3])
  })

  test('after its payment has expired, which is signed again and counts again', async () => {
    const later = flowOf(
      { article: { type: 'string', required: true } },
      { summary: SUMMARY, pause: { kind: 'wait', seconds: 1_000 }, qr: QR },
      [
        'input.article > summary.text',
        'summary.summary > pause.value',
        'pause.value > qr.content',
        'summary.summary > output.summary',
        'qr.svg > output.code',
      ],
    )
    let record: RunRecord | undefined
    const work = run(later, one => void (record = one), '0.019')
    const isAsleep = () => record !== undefined && platform.show(record.runId).waiting[0]?.for === 'time'
    await expect.poll(isAsleep).toBe(true)
    clock.pass(1_001_000)
    await expect(work).rejects.toMatchObject({ key: 'qr', because: 'too-late' })
    expect([charges(), signed]).toEqual([[['summary', '0.01']], 2])
    if (record === undefined) throw new Error('nothing was written down')
    expect((await resume(record, { signer: signer(), maxTotal: '0.02' })).output).toEqual(OUTPUT)
    expect([charges(), signed]).toEqual([ALL, 3])
  })
})

test('a run is read, answered, paused and cancelled by its handle', async () => {
  const record = await killed(request => request.endsWith('/events'))
  const read = await readRun(record, { clock })
  expect([read.flow, read.input]).toEqual([SUMMARY_AND_QR, { article: 'Long.' }])
  await expect(answerRun(record, 'summary', true, { clock })).rejects.toThrow('does not wait for an answer')
  await expect.poll(async () => (await readRun(record, { clock })).status).toBe('completed')
  expect((await pauseRun(record, { clock })).status).toBe('completed')
  expect((await cancelRun(record, { clock })).status).toBe('completed')
})

function newId(): string {
  return globalThis.crypto.randomUUID()
}
