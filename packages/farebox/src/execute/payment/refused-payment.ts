import { PaymentError } from '@farebox/protocol/errors/service-errors'
import type { UnpaidJob } from '../../jobs/job.ts'

/** A payment refused with something for the client to read beside the message. */
export class RefusedPayment extends PaymentError {
  readonly headers: { readonly [name: string]: string }

  constructor(message: string, headers: { readonly [name: string]: string }) {
    super(message)
    this.headers = headers
  }
}

/** The 402 after a definite settle failure: the same for who sent the payment first and for its repeats (D7, D22). */
export function refuseUnpaid(job: UnpaidJob, paymentKey: string): RefusedPayment {
  // The receipt is of the payment refused last.
  const headers = job.refusedPayments.at(-1) === paymentKey ? { 'payment-response': job.paymentResponse } : {}
  return new RefusedPayment(
    `the payment could not be settled (${job.reason}): sign a new one for the same job_id`,
    headers,
  )
}
