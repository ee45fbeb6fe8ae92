import { PaymentError } from '@farebox/protocol/errors/service-errors'

/** A payment refused with something for the client to read beside the message. */
export class RefusedPayment extends PaymentError {
  readonly headers: { readonly [name: string]: string }

  constructor(message: string, headers: { readonly [name: string]: string }) {
    super(message)
    this.headers = headers
  }
}
