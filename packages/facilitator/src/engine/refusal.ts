import type { Charge } from '@farebox/payments/x402/facilitator-api'

/** Why a payment is refused, with the name x402 facilitators have for it and a sentence for a person. */
export interface PaymentRefusal {
  /** 400: no payment could be read. 403: not yours to take. 200: read, and refused. */
  readonly status: 200 | 400 | 403
  readonly reason: string
  readonly message: string
  /** Known if the signature proved one. */
  readonly payer?: string
  /** The charge it was used for before, where it was and the caller may know of it. */
  readonly charge?: Charge
}

/** Makes a {@link PaymentRefusal} of a payment that was read. */
export function refusePayment(reason: string, message: string, payer?: string): PaymentRefusal {
  return { status: 200, reason, message, ...(payer === undefined ? {} : { payer }) }
}

/** We cannot say anything now: the caller should come back. Not a verdict. */
export class UnavailableError extends Error {
  override readonly name = 'UnavailableError'
  readonly retryAfterSeconds: number

  constructor(message: string, retryAfterSeconds = 1) {
    super(message)
    this.retryAfterSeconds = retryAfterSeconds
  }
}
