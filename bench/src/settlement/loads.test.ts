import { expect, test } from 'vitest'
import type { FacilitatorCalls } from './call-facilitator.ts'
import { settleAtOnce, settleSteadily, verifyAll } from './loads.ts'

const AUTHORIZATION = { from: '', to: '', value: '1', validAfter: '0', validBefore: '1', nonce: '' }

/**
 * A facilitator that settles nothing until a number of payments are requested concurrently, and its recorded requests.
 */
function waitingFacilitator(most: number) {
  const verified: string[] = []
  const waiting: (() => void)[] = []
  const calls: FacilitatorCalls = {
    connect: async () => await Promise.resolve(),
    async verify({ body }) {
      verified.push(body)
      await Promise.resolve()
    },
    async settle({ body }) {
      await new Promise<void>(resolve => {
        waiting.push(resolve)
        if (waiting.length === most) for (const settle of waiting) settle()
      })
      return body
    },
    close: async () => await Promise.resolve(),
  }
  const payments = named(most).map(body => ({ body, authorization: AUTHORIZATION }))
  return { verified, load: { calls, payments, endMs: Number.POSITIVE_INFINITY } }
}

function named(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `0x${index}`)
}

test('a burst is held first, and then settled all at once', async () => {
  const { verified, load } = waitingFacilitator(100)
  await verifyAll(load)
  expect(verified).toEqual(named(100))
  expect((await settleAtOnce(load)).transactions).toEqual(named(100))
})

test('payments of a steady load arrive while none of those before is answered', async () => {
  const { verified, load } = waitingFacilitator(20)
  expect((await settleSteadily(load, 200)).transactions).toEqual(named(20))
  expect(verified).toEqual(named(20))
})

test('payments that are not held in time are not counted as held', async () => {
  const { load } = waitingFacilitator(30)
  await expect(verifyAll({ ...load, endMs: 0 })).rejects.toThrow('0 of 30 payments were held in time')
})
