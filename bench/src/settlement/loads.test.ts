import { expect, test } from 'vitest'
import type { FacilitatorCalls } from './call-facilitator.ts'
import { settleAtOnce, settleSteadily, verifyAll } from './loads.ts'
import type { SignedPayments } from './signed-payments.ts'

/** A facilitator that settles nothing until so many payments are asked for at once, and what it saw. */
function waitingFacilitator(most: number) {
  const verified: number[] = []
  const waiting: (() => void)[] = []
  const calls: FacilitatorCalls = {
    connect: async () => await Promise.resolve(),
    async verify(_, index) {
      verified.push(index)
      await Promise.resolve()
    },
    async settle(_, index) {
      await new Promise<void>(resolve => {
        waiting.push(resolve)
        if (waiting.length === most) for (const settle of waiting) settle()
      })
      return `0x${index}`
    },
    close: async () => await Promise.resolve(),
  }
  const payments = { count: most } as SignedPayments
  return { verified, load: { calls, payments, endMs: Number.POSITIVE_INFINITY } }
}

const all = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index)
const named = (count: number): readonly string[] => all(count).map(index => `0x${index}`)

test('a burst is held first, and then settled all at once', async () => {
  const { verified, load } = waitingFacilitator(100)
  await verifyAll(load)
  expect(verified).toEqual(all(100))
  expect((await settleAtOnce(load)).transactions).toEqual(named(100))
})

test('payments of a steady load arrive while none of those before is answered', async () => {
  const { verified, load } = waitingFacilitator(20)
  expect((await settleSteadily(load, 200)).transactions).toEqual(named(20))
  expect(verified).toEqual(all(20))
})

test('payments that are not held in time are not counted as held', async () => {
  const { load } = waitingFacilitator(30)
  await expect(verifyAll({ ...load, endMs: 0 })).rejects.toThrow('0 of 30 payments were held in time')
})
