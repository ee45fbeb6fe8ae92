import { setTimeout as delay } from 'node:timers/promises'
import type { FacilitatorCalls } from './call-facilitator.ts'
import type { SignedPayment } from './signed-payments.ts'

/** The result of a load. Times are those of `performance.now()`. */
export interface Settled {
  /** For each payment, by its index: from the request to `/settle` to the answer that it is settled. */
  readonly settleMs: readonly number[]
  /** The named transaction, by the payment's index. */
  readonly transactions: readonly string[]
  /** For all requests of the load: after a burst was held, `/settle`. */
  readonly firstSentMs: number
  readonly lastAnsweredMs: number
}

/** The requests, and until when an answer counts: a time of `performance.now()`. */
export interface Load {
  readonly calls: FacilitatorCalls
  readonly payments: readonly SignedPayment[]
  readonly endMs: number
}

/** Agents that verify at the same time before a burst. */
const VERIFYING_AT_ONCE = 32

/** Has every payment held, with this concurrency. */
export async function verifyAll({ calls, payments, endMs }: Load): Promise<void> {
  const waiting = payments.entries()
  const one = async (): Promise<void> => {
    for (const [index, payment] of waiting) {
      if (performance.now() > endMs)
        throw new Error(`${index} of ${payments.length} payments were held in time`)
      await calls.verify(payment)
    }
  }
  await Promise.all(Array.from({ length: VERIFYING_AT_ONCE }, one))
}

/** Requests the settlement of all held payments at one moment. */
export async function settleAtOnce(load: Load): Promise<Settled> {
  const startedMs = performance.now()
  return await settleAll(load, startedMs, (_, settle) => settle())
}

/**
 * Verifies and settles payments that arrive at fixed times, independent of the answers: a facilitator that falls behind
 * gets no relief.
 */
export async function settleSteadily(load: Load, perSecond: number): Promise<Settled> {
  const startedMs = performance.now()
  return await settleAll(load, startedMs, async (payment, settle, index) => {
    await delay(startedMs + (1_000 * index) / perSecond - performance.now())
    await load.calls.verify(payment)
    await settle()
  })
}

async function settleAll(
  { calls, payments, endMs }: Load,
  firstSentMs: number,
  each: (payment: SignedPayment, settle: () => Promise<void>, index: number) => Promise<void>,
): Promise<Settled> {
  const settleMs: number[] = []
  const transactions: string[] = []
  let lastAnsweredMs = 0
  const one = async (payment: SignedPayment, index: number): Promise<void> => {
    const settle = async (): Promise<void> => {
      const sentMs = performance.now()
      transactions[index] = await calls.settle(payment, endMs)
      lastAnsweredMs = performance.now()
      settleMs[index] = lastAnsweredMs - sentMs
    }
    await each(payment, settle, index)
  }
  await Promise.all(payments.map(one))
  return { settleMs, transactions, firstSentMs, lastAnsweredMs }
}
