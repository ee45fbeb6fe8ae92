import type { Network } from '@farebox/payments/networks'
import type { PaymentRecord } from './payment-record.ts'

/**
 * Is it certain that this failed row can never be paid (I5)? Yes at once if none of our transactions carried it. A
 * transaction that carried it and failed to pay it can be mined a second time: after a reorganisation it may come before
 * whatever made it fail. Then the failure is final only once the row was compared with a chain that is past the
 * authorization's end and finality.
 */
export function isFinalFailure(record: PaymentRecord, { finalitySeconds }: Network): boolean {
  const { state, attempts, transaction, auditedAt, authorization } = record
  if (state !== 'failed') return false
  const wasSent = attempts > 0 || transaction !== ''
  return !wasSent || auditedAt > Number(authorization.validBefore) + finalitySeconds
}
