import type { Charge } from '@farebox/payments/x402/facilitator-api'

/** Why a payment is refused: the x402 error name and a sentence for people. */
export interface PaymentRefusal {
  /** 400: no payment could be read. 403: this caller may not take the payment. 200: read, and refused. */
  readonly status: 200 | 400 | 403
  readonly reason: string
  readonly message: string
  /** Present if the signature proved a payer. */
  readonly payer?: string
  /** The earlier charge of this payment, if there was one and the caller may know of it. */
  readonly charge?: Charge
}

/** Creates a {@link PaymentRefusal} for a payment that could be read. */
export function refusePayment(reason: string, message: string, payer?: string): PaymentRefusal {
  return { status: 200, reason, message, ...(payer === undefined ? {} : { payer }) }
}

/** No verdict is possible now; the caller should retry. */
export class UnavailableError extends Error {
  override readonly name = 'UnavailableError'
  readonly retryAfterSeconds: number

  constructor(message: string, retryAfterSeconds = 1) {
    super(message)
    this.retryAfterSeconds = retryAfterSeconds
  }
}
