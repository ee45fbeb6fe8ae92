import { withAttempt, type PaidAttempt } from './paid-attempt.ts'

/**
 * A payment was sent and no response tells its outcome: it may have been charged, or may be charged until
 * `attempt.chargeableUntil`. Do not pay for the same work again; `resume(attempt.entry)` repeats the request with the same
 * job and the same payment, and signs nothing.
 *
 * @example
 * ```ts
 * import { PaymentUnresolved } from '@farebox/client/attempt/payment-unresolved'
 * import { execute, type ExecuteOptions } from '@farebox/client/execute'
 * import { resume } from '@farebox/client/resume'
 *
 * export async function count(text: string, options: ExecuteOptions) {
 *   try {
 *     return await execute('https://agent.example', 'count', { text }, options)
 *   } catch (error) {
 *     if (!(error instanceof PaymentUnresolved)) throw error
 *     return await resume(error.attempt.entry)
 *   }
 * }
 * ```
 */
export class PaymentUnresolved extends Error {
  override readonly name = 'PaymentUnresolved'
  readonly jobId: string
  readonly #attempt: PaidAttempt

  constructor(attempt: PaidAttempt, reason: string, options?: ErrorOptions) {
    const advice = 'the payment may have been charged, resume this job rather than pay again'
    super(`job ${attempt.entry.jobId}: ${reason}; ${advice}`, options)
    this.jobId = attempt.entry.jobId
    this.#attempt = attempt
    withAttempt(this, attempt)
  }

  /** The sent pair. Hidden from console output of this error, because it contains the payment header. */
  get attempt(): PaidAttempt {
    return this.#attempt
  }
}
