import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { FacilitatorCalls } from './call-facilitator.ts'
import { settleAtOnce, settleOutstanding, settleSteadily, verifyAll } from './loads.ts'
import type { SignedPayments } from './signed-payments.ts'

/** A facilitator that takes its time, and what it saw. */
function slowFacilitator(settleMs: number) {
  const seen = { verified: [] as number[], settled: [] as number[], most: 0 }
  let under = 0
  const calls: FacilitatorCalls = {
    connect: async () => await Promise.resolve(),
    async verify(_, index) {
      seen.verified.push(index)
      await Promise.resolve()
    },
    async settle(_, index) {
      seen.most = Math.max(seen.most, ++under)
      await delay(settleMs)
      under -= 1
      seen.settled.push(index)
      return `0x${index}`
    },
    close: async () => await Promise.resolve(),
  }
  return { calls, seen }
}

function load(count: number, settleMs: number) {
  const { calls, seen } = slowFacilitator(settleMs)
  const payments = { count } as SignedPayments
  return { seen, load: { calls, payments, endMs: performance.now() + 10_000 } }
}

const all = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index)

describe('loads', () => {
  test('a burst is held first, and then settled all at once', async () => {
    const { seen, load: burst } = load(100, 20)
    await verifyAll(burst)
    expect(seen.verified).toEqual(all(100))
    const { transactions, settleMs } = await settleAtOnce(burst)
    expect(seen.most).toBe(100)
    expect(transactions).toEqual(all(100).map(index => `0x${index}`))
    expect(Math.min(...settleMs)).toBeGreaterThan(15)
  })

  test('payments of a steady load arrive at their times, however long an answer takes', async () => {
    const { seen, load: steady } = load(20, 300)
    const startedMs = performance.now()
    const { lastAnsweredMs } = await settleSteadily(steady, 200)
    expect(seen.most).toBe(20)
    expect(lastAnsweredMs - startedMs).toBeGreaterThan(95 + 290)
  })

  test('a constant number is under way, and each payment is settled once', async () => {
    const { seen, load: constant } = load(30, 5)
    const counted: number[] = []
    await settleOutstanding(constant, 4, done => counted.push(done))
    expect(seen.most).toBe(4)
    expect([...seen.settled].sort((one, other) => one - other)).toEqual(all(30))
    expect(counted.at(-1)).toBe(30)
  })

  test('what is not done in time is not counted as done', async () => {
    const { load: constant } = load(30, 20)
    const late = { ...constant, endMs: performance.now() + 30 }
    await expect(settleOutstanding(late, 2, () => undefined)).rejects.toThrow(
      'of 30 payments were settled in time',
    )
    await expect(verifyAll({ ...constant, endMs: 0 })).rejects.toThrow('0 of 30 payments were held in time')
  })
})
