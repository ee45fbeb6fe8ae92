import type { Authorization } from '@farebox/payments/authorization/eip-3009'
import type { Network } from '@farebox/payments/networks'
import type { PaymentResponse } from '@farebox/payments/x402/payment-header'
import type { JournalEntry } from './journal-entry.ts'

/**
 * A payment that may have reached an agent, with everything known about it when a call fails.
 *
 * No response of an agent revokes a signed authorization: a dishonest agent can use it until `chargeableUntil`. A caller
 * that wants to pay again for the same work asks the chain first (`findSettlement` of
 * `@farebox/payments/chain/find-settlement` takes `network` and `authorization`), or revokes it with `cancelAuthorization`.
 */
export interface PaidAttempt {
  /** Pass it to `resume` to repeat the request, or to `cancelAuthorization`. As good as a signed cheque: never log it. */
  readonly entry: JournalEntry
  readonly network: Network
  readonly authorization: Authorization
  /** Unix seconds from which the chain no longer accepts the authorization, even after a reorganisation. */
  readonly chargeableUntil: number
  /** How many times this pair was sent without a response of the agent; with 0, only the agent's word is known. */
  readonly unanswered: number
  /** The `PAYMENT-RESPONSE` of the failed response; undefined when it had none. */
  readonly settlement: PaymentResponse | undefined
}

/** A registered symbol, as for the typed errors: an error may come from another copy of this package. */
const ATTEMPT = Symbol.for('farebox.paid-attempt')

/** Attaches the sent payment to an error; not enumerable, so that the header is not logged by accident. */
export function withAttempt<Thrown extends Error>(error: Thrown, attempt: PaidAttempt): Thrown {
  return Object.defineProperty(error, ATTEMPT, { value: attempt })
}

/**
 * The payment that was sent before this error was thrown. Undefined means that no payment was sent, so nothing can be
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
  // Only `withAttempt` writes this property.
  return (thrown as { readonly [ATTEMPT]?: PaidAttempt })[ATTEMPT]
}
