import type { PaymentGate } from '../payment-gate/payment-gate.ts'

/** The next result of `verify`, instead of one that depends on the payer. */
export type VerifyFault = 'invalid' | 'unauthorized' | 'unavailable'

/** The next result of `settle`, instead of `settled`. */
export type SettleFault = 'unknown' | 'failed'

/** The number of calls of the gate so far. */
export interface GateCounts {
  readonly verified: number
  /** Calls of `settle`, including repeats of the same payment. */
  readonly settleCalls: number
  /** Different payments that were charged. */
  readonly charged: number
}

/** A payment gate without a facilitator and a chain, whose faults a test sets. */
export interface FakeGate extends PaymentGate {
  /** Sets the results of the next calls of `verify`, one each. */
  failVerify(...faults: readonly VerifyFault[]): void
  /** Sets the results of the next calls of `settle`, one each. */
  failSettle(...faults: readonly SettleFault[]): void
  counts(): GateCounts
}

/**
 * Makes a gate for `createAgent({ …, ports: { paymentGate } })`. Only payments of the listed payers are valid, as if no
 * other payer had a balance. Each payment is charged at most once.
 *
 * @param options.funded addresses whose payments are valid, in upper or lower case
 * @example
 * ```ts
 * import { createAgent, readConfig } from 'farebox'
 * import { createFakeGate } from 'farebox/testing'
 *
 * const paymentGate = createFakeGate({ funded: ['0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'] })
 * paymentGate.failSettle('unknown', 'unknown') // the first two outcomes are unknown
 *
 * export const agent = await createAgent({
 *   declaration: await readConfig('agent.json'),
 *   handlers: new URL('./handlers.js', import.meta.url),
 *   ports: { paymentGate },
 * })
 * ```
 */
export function createFakeGate(options: { readonly funded: readonly string[] }): FakeGate {
  const funded = new Set(options.funded.map(address => address.toLowerCase()))
  const verifyFaults: VerifyFault[] = []
  const settleFaults: SettleFault[] = []
  const transactions = new Map<string, string>()
  let verified = 0
  let settleCalls = 0
  return {
    verify(payment) {
      verified += 1
      const fault = verifyFaults.shift()
      if (fault === 'unauthorized') return Promise.resolve({ kind: 'unauthorized' })
      if (fault === 'unavailable') return Promise.resolve({ kind: 'unavailable', cause: 'scripted' })
      if (fault === 'invalid' || !funded.has(payment.payer)) {
        return Promise.resolve({
          kind: 'invalid',
          reason: 'insufficient_funds',
          message: 'the payer has too little',
        })
      }
      return Promise.resolve({ kind: 'valid', hold: undefined })
    },
    settle({ key }) {
      settleCalls += 1
      const known = transactions.get(key)
      if (known !== undefined) return Promise.resolve({ kind: 'settled', transaction: known })
      const fault = settleFaults.shift()
      if (fault === 'unknown') return Promise.resolve({ kind: 'unknown', cause: 'scripted' })
      if (fault === 'failed') {
        return Promise.resolve({
          kind: 'failed',
          reason: 'insufficient_funds',
          message: 'the payer has too little',
          transaction: '',
        })
      }
      const transaction = `0x${(transactions.size + 1).toString(16).padStart(64, '0')}`
      transactions.set(key, transaction)
      return Promise.resolve({ kind: 'settled', transaction })
    },
    findCharge: () => Promise.resolve({ kind: 'none' }),
    release: () => Promise.resolve(),
    clockAheadSeconds: () => 0,
    failVerify: (...faults) => void verifyFaults.push(...faults),
    failSettle: (...faults) => void settleFaults.push(...faults),
    counts: () => ({ verified, settleCalls, charged: transactions.size }),
  }
}
