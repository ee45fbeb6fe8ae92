import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { loadEvmCrypto, type EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { privateKeySigner } from '@farebox/payments/x402/sign-payment'
import { TRANSACTION, startTestAgent, type TestAgent } from '../testing/agent.ts'
import { createTestClock, type TestClock } from '../testing/clock.ts'
import { execute } from './execute.ts'
import type { JournalEntry } from './attempt/journal-entry.ts'
import { attemptOf } from './attempt/paid-attempt.ts'
import { resume } from './resume.ts'

const KEY = '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a'

let crypto: EvmCrypto
let clock: TestClock
let agent: TestAgent

beforeAll(async () => {
  crypto = await loadEvmCrypto()
})

beforeEach(async () => {
  clock = createTestClock(1_800_000_000)
  agent = await startTestAgent(crypto, clock)
})

afterEach(async () => {
  await agent.close()
  expect(clock.waiting(), 'no timer is left behind').toBe(0)
})

/** The process dies with the journal written: before the first request, or just after it. */
async function crash(when: 'before sending' | 'after sending'): Promise<JournalEntry> {
  const controller = new AbortController()
  let kept = ''
  agent.faults.push(work => {
    work()
    controller.abort()
  })
  await expect(
    execute(
      agent.url,
      'count',
      { text: 'hello world' },
      {
        clock,
        crypto,
        signer: privateKeySigner(crypto, KEY),
        signal: controller.signal,
        journal(entry) {
          kept = JSON.stringify(entry)
          if (when === 'before sending') throw new Error('the process died')
        },
      },
    ),
  ).rejects.toThrow()
  agent.faults.length = 0
  return JSON.parse(kept) as JournalEntry
}

describe('D38 a job whose process died', () => {
  test.each(['before sending', 'after sending'] as const)('%s is answered, and paid once', async when => {
    const entry = await crash(when)
    const result = await resume(entry, { clock, declaration: agent.declaration })
    const { jobId } = entry
    expect(result).toMatchObject({ jobId, output: { words: 2 }, payment: { transaction: TRANSACTION } })
    expect(agent.transfers).toHaveLength(1)
    expect(agent.runs).toEqual([jobId])
    expect(agent.seen.at(-1)).toEqual({ body: entry.body, header: entry.header })
  })

  test('can be resumed again, even after the authorization has expired', async () => {
    const entry = await crash('after sending')
    await resume(entry, { clock })
    clock.pass(300_000)
    expect(await resume(entry, { clock })).toMatchObject({ output: { words: 2 } })
    expect(agent.transfers).toHaveLength(1)
  })

  test('a crash before sending, resumed too late, is refused by the agent', async () => {
    const entry = await crash('before sending')
    clock.pass(300_000)
    const error: unknown = await resume(entry, { clock }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'PaymentError', message: expect.stringContaining('expired') })
    expect(attemptOf(error)?.chargeableUntil).toBeLessThan(clock.nowMs() / 1_000)
    expect(agent.transfers).toHaveLength(0)
  })

  test('a resume without a declaration returns the output as received', async () => {
    agent.output = { words: 2, extra: true }
    const entry = await crash('after sending')
    const result = await resume(entry, { clock })
    expect(result).toMatchObject({ output: { words: 2, extra: true }, violation: undefined })
  })
})

describe('an invalid entry', () => {
  test.each<[string, (entry: JournalEntry) => unknown]>([
    ['null', () => null],
    ['without a header', entry => ({ ...entry, header: undefined })],
    ['with a header of garbage', entry => ({ ...entry, header: 'e30=' })],
    ['with a body of garbage', entry => ({ ...entry, body: '{}' })],
    ['with the body of another job', entry => ({ ...entry, jobId: '3f8a2c1e-9b4d-4f6a-8c2b-1d5e7f9a0b3c' })],
    ['with a URL that is not allowed', entry => ({ ...entry, agentUrl: 'http://agent.example' })],
  ])('%s is refused and not sent, and the message does not show its header', async (_, spoil) => {
    const entry = await crash('before sending')
    const before = agent.seen.length
    const spoilt = spoil(entry) as JournalEntry
    const error: unknown = await resume(spoilt, { clock }).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(TypeError)
    expect(String(error)).not.toContain(entry.header)
    expect(agent.seen).toHaveLength(before)
  })
})
