import { setTimeout as delay } from 'node:timers/promises'
import type { FacilitatorCalls } from './call-facilitator.ts'
import type { SignedPayments } from './signed-payments.ts'

/** How a load went. Times are of `performance.now()`. */
export interface Settled {
  /** Of each payment, by its index: from the request to `/settle` to the answer that it is settled. */
  readonly settleMs: readonly number[]
  /** The transaction that was named, by the payment's index. */
  readonly transactions: readonly string[]
  /** Of all that the load asked: after a burst was held, `/settle`. */
  readonly firstSentMs: number
  readonly lastAnsweredMs: number
}

/** What is asked, and until when an answer counts: a time of `performance.now()`. */
export interface Load {
  readonly calls: FacilitatorCalls
  readonly payments: SignedPayments
  readonly endMs: number
}

/** Agents that verify at the same time before a burst. */
const VERIFYING_AT_ONCE = 32

/** Has every payment held, so many at a time. */
export async function verifyAll({ calls, payments, endMs }: Load): Promise<void> {
  let next = 0
  const one = async (): Promise<void> => {
    while (next < payments.count) {
      if (performance.now() > endMs)
        throw new Error(`${next} of ${payments.count} payments were held in time`)
      await calls.verify(payments, next++)
    }
  }
  await Promise.all(Array.from({ length: VERIFYING_AT_ONCE }, one))
}

/** Asks for all that are held to be settled in one moment. */
export async function settleAtOnce(load: Load): Promise<Settled> {
  const record = createRecord(load)
  await Promise.all(Array.from({ length: load.payments.count }, (_, index) => record.settle(index)))
  return record.end()
}

/**
 * Verifies and settles payments that arrive at fixed times, whatever the answers do: a facilitator that falls behind gets no
 * rest by it.
 */
export async function settleSteadily(load: Load, perSecond: number): Promise<Settled> {
  const record = createRecord(load)
  const startedMs = performance.now()
  const arrivals = Array.from({ length: load.payments.count }, async (_, index) => {
    await delay(startedMs + (1_000 * index) / perSecond - performance.now())
    await record.verifyAndSettle(index)
  })
  await Promise.all(arrivals)
  return record.end()
}

function createRecord({ calls, payments, endMs }: Load): {
  settle(index: number): Promise<void>
  verifyAndSettle(index: number): Promise<void>
  end(): Settled
} {
  const settleMs: number[] = []
  const transactions: string[] = []
  let firstSentMs = Number.POSITIVE_INFINITY
  let lastAnsweredMs = 0
  const settle = async (index: number): Promise<void> => {
    const sentMs = performance.now()
    firstSentMs = Math.min(firstSentMs, sentMs)
    transactions[index] = await calls.settle(payments, index, endMs)
    lastAnsweredMs = performance.now()
    settleMs[index] = lastAnsweredMs - sentMs
  }
  return {
    settle,
    async verifyAndSettle(index) {
      firstSentMs = Math.min(firstSentMs, performance.now())
      await calls.verify(payments, index)
      await settle(index)
    },
    end: () => ({ settleMs, transactions, firstSentMs, lastAnsweredMs }),
  }
}
