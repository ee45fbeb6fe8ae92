import type { Network } from '@farebox/payments/networks'
import type { PaymentRecord } from './payment-record.ts'

/**
 * Can nothing pay this failed row any more (I5)? Where no transaction of ours carried it, at once. One that carried
 * it in vain can be mined a second time: where blocks are replaced it may come before what made it fail. So then
 * only once the row was compared with a chain past the authorization's end, and finality.
 */
export function isFinalFailure(record: PaymentRecord, { finalitySeconds }: Network): boolean {
  const { state, attempts, transaction, auditedAt, authorization } = record
  if (state !== 'failed') return false
  const wasSent = attempts > 0 || transaction !== ''
  return !wasSent || auditedAt > Number(authorization.validBefore) + finalitySeconds
}
