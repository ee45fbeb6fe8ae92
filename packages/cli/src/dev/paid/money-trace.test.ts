import * as lines from '@farebox/local/src/money-lines'
import { checksumAddress } from '@farebox/payments/crypto/address'
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { expect, test } from 'vitest'
import type { JobEvent } from '../messages/messages.ts'
import { createMoneyTrace, type MoneyTrace, type SettledOnChain } from './money-trace.ts'

const PAYER = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const TRANSACTION = `0x8f3c${'0'.repeat(56)}02d1`
const JOB = '5f0c91aa-9b4d-4f6a-8c2b-1d5e7f9a0b3c'

const crypto = await loadEvmCrypto()

function createTrace(
  readSettled: () => Promise<SettledOnChain> = () =>
    Promise.resolve({ blockNumber: 7n, payerAtomic: 999_998_000n, agentAtomic: 2_000n }),
): MoneyTrace {
  return createMoneyTrace({ lines, readSettled, spell: address => checksumAddress(crypto, address) })
}

/** The lines of the last of several events; earlier events print nothing. */
async function tell(trace: MoneyTrace, ...events: readonly Partial<JobEvent>[]): Promise<readonly string[]> {
  let told: readonly string[] = []
  for (const event of events) {
    expect(told).toEqual([])
    told = await trace({ event: '', jobId: JOB, fields: {}, atMs: 0, ...event })
  }
  return told
}

const called = { event: 'execute', fields: { capability: 'count' }, atMs: 1_000 }
const verified = {
  event: 'payment verified',
  fields: { payer: PAYER.toLowerCase(), amount: '0.002' },
  atMs: 1_002,
}
const inputValid = { event: 'input valid', atMs: 1_002 }
const outputValid = { event: 'output valid', fields: { ms: 1 }, atMs: 1_004 }
const completed = { event: 'completed', fields: { transaction: TRANSACTION }, atMs: 1_015 }

test('a paid job is shown from the hold to both balances', async () => {
  expect(await tell(createTrace(), called, verified, inputValid, outputValid, completed)).toEqual([
    '         job        count · 5f0c91…0b3c',
    '         verified   0.002000 USDC from 0x3C44…93BC, held              2 ms',
    '         ran        input and output valid                            1 ms',
    '    200  settled    0x8f3c…02d1 in block 7                           11 ms',
    '         payer 999.998000 USDC (−0.002000)    agent 0.002000 USDC (+0.002000)',
  ])
})

test('concurrent jobs are distinguished, even when a repeat writes the id in capitals', async () => {
  const trace = createTrace()
  const other = { jobId: JOB.replace('5', '6') }
  await tell(trace, called, { ...called, ...other, fields: { capability: 'top' } }, verified, {
    ...called,
    jobId: JOB.toUpperCase(),
  })
  expect((await tell(trace, outputValid, completed))[0]).toContain('count')
  expect(await tell(trace, { ...verified, ...other }, { ...completed, ...other })).toHaveLength(4)
})

test('a payment that was refused is not charged', async () => {
  const refused = {
    event: 'refused',
    fields: { status: 402, error_type: 'payment', reason: 'expired' },
  }
  expect(await tell(createTrace(), called, refused)).toEqual([
    '         job        count · 5f0c91…0b3c',
    '    402  refused    payment: expired',
    '                    not charged',
  ])
})

test('a handler that throws is not charged, and the typed error’s answer comes after it', async () => {
  const trace = createTrace()
  const thrown = { event: 'handler error: no such city', fields: { at: 'handlers.ts:4:9' } }
  const refused = {
    event: 'refused',
    fields: { status: 400, error_type: 'validation', reason: 'city: none' },
  }
  expect(await tell(trace, called, verified, inputValid, thrown)).toEqual([
    '         job        count · 5f0c91…0b3c',
    '         verified   0.002000 USDC from 0x3C44…93BC, held              2 ms',
    '         failed     handler error: no such city  handlers.ts:4:9',
    '                    not charged',
  ])
  expect(await tell(trace, refused)).toEqual(['    400  refused    validation: city: none'])
})

test('a failed job that is retried is shown from the start', async () => {
  const trace = createTrace()
  await tell(trace, called, verified, { event: 'output refused: words: must be a number' })
  const later = { ...called, atMs: 5_000 }
  const told = await tell(trace, later, { ...verified, atMs: 5_003 }, outputValid, completed)
  expect(told[1]).toContain(' 3 ms')
  expect(told).toHaveLength(5)
})

test('D12 a facilitator that gives no verdict is named, with the reason', async () => {
  const silence = { event: 'the facilitator returned no verdict', fields: { cause: 'ECONNREFUSED' } }
  expect((await tell(createTrace(), called, silence)).slice(1)).toEqual([
    '    500  failed     the facilitator returned no verdict: ECONNREFUSED',
    '                    not charged',
  ])
})

test('another caller who names a running job is refused, and nothing is shown about that job’s charge', async () => {
  const trace = createTrace()
  const refused = {
    event: 'refused',
    fields: { status: 402, error_type: 'payment', reason: 'not the payer' },
  }
  expect(await tell(trace, called, verified, called, refused)).toEqual([
    '         job        count · 5f0c91…0b3c',
    '         verified   0.002000 USDC from 0x3C44…93BC, held              2 ms',
    '    402  refused    payment: not the payer',
  ])
  expect((await tell(trace, outputValid, completed)).at(-1)).toContain('agent 0.002000 USDC')
})

test('D8 an unknown settlement is reported once, and never as not charged', async () => {
  const trace = createTrace()
  const unknown = { event: 'settlement outcome not known yet; asking again', fields: { cause: 'timeout' } }
  const told = await tell(trace, called, verified, outputValid, unknown)
  expect(told.at(-1)).toBe('    503  pending    settlement outcome not known yet; asking again: timeout')
  expect(await tell(trace, unknown, completed)).toHaveLength(5)
})

test('lines that a handler logs affect neither the trace nor the cursor', async () => {
  const trace = createTrace()
  const quiet = ['completed', 'refused', 'payment verified', 'handler error: upstream, trying again']
  expect(await tell(trace, called, ...quiet.map(event => ({ event })))).toEqual([])
  const thrown = { event: 'handler error: \u001b[2Jgone', fields: { at: 'handlers.ts:1:1' } }
  expect((await tell(trace, thrown)).join('')).toContain('handler error: ·[2Jgone')
})

test('if the chain cannot be read, the block and the balances are left out, not the settlement', async () => {
  const told = await tell(
    createTrace(() => Promise.reject(new Error('gone'))),
    called,
    verified,
    outputValid,
    completed,
  )
  expect(told.at(-1)).toContain('200  settled    0x8f3c…02d1 in block ?')
})

test('a job saved by an earlier run is shown by its settlement alone', async () => {
  expect(await tell(createTrace(), completed)).toEqual([
    '         job        5f0c91…0b3c',
    '    200  settled    0x8f3c…02d1 in block ?',
  ])
})
