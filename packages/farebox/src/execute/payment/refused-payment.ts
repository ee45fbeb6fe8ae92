import { PaymentError } from '@farebox/protocol/errors/service-errors'
import type { UnpaidJob } from '../../jobs/job.ts'

/** A refused payment with response headers for the client beside the message. */
export class RefusedPayment extends PaymentError {
  readonly headers: { readonly [name: string]: string }

  constructor(message: string, headers: { readonly [name: string]: string }) {
    super(message)
    this.headers = headers
  }
}

/**
 * The 402 after a definite settlement failure, the same for the first sender of the payment and for its repeats (D7,
 * D22).
 */
export function refuseUnpaid(job: UnpaidJob, paymentKey: string): RefusedPayment {
  // The stored receipt belongs to the payment that was refused last.
  const headers = job.refusedPayments.at(-1) === paymentKey ? { 'payment-response': job.paymentResponse } : {}
  return new RefusedPayment(
    `the payment could not be settled (${job.reason}): sign a new one for the same job_id`,
    headers,
  )
}
