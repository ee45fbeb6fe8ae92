import type { LogFields } from '@farebox/server/log'
import type { PaymentRecord } from './payment-record.ts'

/** The part of a row by which its payment is followed through the logs. */
export type TracedPayment = Pick<PaymentRecord, 'key' | 'binding' | 'trace'>

/**
 * The fields of a log line about a payment: its `key`, the binding of its `job`, and its `trace`. A caller that names no job
 * binds the payment to its own key: then there is no `job`.
 */
export function paymentFields({ key, binding, trace }: TracedPayment): LogFields {
  return { key, job: binding === key ? undefined : binding, trace }
}

/** The fields of a line about a transaction: those of its payment, or the number of payments. */
export function carriedFields(payments: readonly TracedPayment[]): LogFields {
  const [payment] = payments
  return payment !== undefined && payments.length === 1
    ? { payments: 1, ...paymentFields(payment) }
    : { payments: payments.length }
}
