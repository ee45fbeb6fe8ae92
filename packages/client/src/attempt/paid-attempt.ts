import type { Authorization } from '@farebox/payments/authorization/eip-3009'
import type { Network } from '@farebox/payments/networks'
import type { PaymentResponse } from '@farebox/payments/x402/payment-header'
import type { JournalEntry } from './journal-entry.ts'

/**
 * A payment that may have reached an agent, and what is known of it when a call fails.
 *
 * Nothing an agent answers takes a signed authorization back: until `chargeableUntil` a dishonest one can
 * still use it. Who wants to pay again for the same work asks the chain first (`findSettlement` of
 * `@farebox/payments/chain/find-settlement` takes `network` and `authorization`), or takes it back by
 * `cancelAuthorization`.
 */
export interface PaidAttempt {
  /**
   * Give it to `resume` to ask again, or to `cancelAuthorization`. As good as a signed cheque: never log it.
   */
  readonly entry: JournalEntry
  readonly network: Network
  readonly authorization: Authorization
  /** Unix seconds from which on the chain takes the authorization no more, whatever reorganisation comes. */
  readonly chargeableUntil: number
  /**
   * How many times this pair was sent without an answer of the agent: with none, its word is all there is.
   */
  readonly unanswered: number
  /** What the failed answer's `PAYMENT-RESPONSE` said, undefined where it carried none. */
  readonly settlement: PaymentResponse | undefined
}

/** Registered by name, as the typed errors are: an error may come from another copy of this package. */
const ATTEMPT = Symbol.for('farebox.paid-attempt')

/**
 * Notes on an error that a payment had been sent; not enumerable, so that nobody logs the header by accident.
 */
export function withAttempt<Thrown extends Error>(error: Thrown, attempt: PaidAttempt): Thrown {
  return Object.defineProperty(error, ATTEMPT, { value: attempt })
}

/**
 * Had a payment been sent when this was thrown? Undefined means that nothing was sent, so nothing can be
 * charged.
 *
 * @example
 * ```ts
 * import { attemptOf } from '@farebox/client/attempt/paid-attempt'
 * import { execute, type ExecuteOptions } from '@farebox/client/execute'
 *
 * export async function count(text: string, options: ExecuteOptions) {
 *   try {
 *     return await execute('https://agent.example', 'count', { text }, options)
 *   } catch (error) {
 *     const attempt = attemptOf(error)
 *     if (attempt !== undefined) console.log(`may be charged until ${attempt.chargeableUntil}`)
 *     throw error
 *   }
 * }
 * ```
 */
export function attemptOf(thrown: unknown): PaidAttempt | undefined {
  if (!(thrown instanceof Error)) return undefined
  // Only `withAttempt` writes under this symbol.
  return (thrown as { readonly [ATTEMPT]?: PaidAttempt })[ATTEMPT]
}
