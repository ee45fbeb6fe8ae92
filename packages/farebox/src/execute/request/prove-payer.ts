import type { ProvenPayment } from '@farebox/payments/x402/verify-signature'
import { decodePaymentHeader } from '@farebox/payments/x402/payment-header'
import { PaymentError } from '@farebox/protocol/errors/service-errors'
import type { ArrivedRequest } from './arrived-request.ts'
import type { Payments } from '../service/service.ts'
import { withoutStack } from './without-stack.ts'

/**
 * Decodes the payment header and proves its signer: the first half of the local checks (D4, D5). The terms of the
 * payment are not checked yet, because a repeat is answered even when its authorization is no longer valid (D22).
 * Throws a `PaymentError`; no request leaves this process.
 */
export function provePayer(payments: Payments, arrived: ArrivedRequest): ProvenPayment {
  const [header, second] = arrived.paymentHeaders
  if (header === undefined || second !== undefined)
    throw refuse('send one payment header, PAYMENT-SIGNATURE, once')
  const decoded = decodePaymentHeader(header)
  if (!decoded.ok) throw refuse(decoded.reason)
  const proven = payments.verifier.provePayer(decoded.payment)
  if (!proven.ok) throw refuse(proven.reason)
  return proven.value
}

function refuse(reason: string): PaymentError {
  return withoutStack(() => new PaymentError(reason))
}
