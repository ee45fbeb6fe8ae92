import type { Charge } from '@farebox/payments/x402/facilitator-api'
import { isBoundNonce } from '@farebox/payments/authorization/nonce-binding'
import { isFinalFailure } from '../ledger/final-failure.ts'
import type { LedgerPayment, PaymentRecord } from '../ledger/payment-record.ts'
import type { AuthenticatedCaller, Engine } from './engine.ts'
import type { PaymentRequest } from './read-payment-request.ts'

/**
 * The job that this payment was charged for, or is being charged for, so that an agent that lost its own record can deliver
 * what was paid (D40). Undefined when it was not charged, or was charged by another owner: owners must not learn about each
 * other's payments.
 *
 * A ledger that lost its last rows may lack the charge: if it has the payment as not charged, or not at all, the chain is
 * searched. It is not searched for a nonce that names no job: otherwise any caller could have any charge recorded as its
 * own.
 *
 * Rejects when the ledger or the chain gives no answer: the charge is then unknown.
 */
export async function findCharge(
  engine: Engine,
  caller: AuthenticatedCaller,
  request: PaymentRequest,
): Promise<Charge | undefined> {
  const { payment } = request
  const findRecord = async (): Promise<PaymentRecord | undefined> =>
    (await engine.ledger.find([payment.key]))[0]
  let record = await findRecord()
  if (mayBeForgotten(record, payment) && (await engine.observe(payment)).used) {
    const charge = await engine.recoverCharge(caller, request)
    if (charge.kind === 'unclear' || charge.kind === 'unused')
      return { state: 'pending', binding: request.binding, transaction: '', now: engine.chainNow() }
    if (charge.kind === 'recovered') record = await findRecord()
  }
  if (record === undefined || record.owner !== caller.owner || !isSame(record, payment)) return undefined
  const { state, binding, transaction, blockNumber } = record
  if (state === 'settled' && blockNumber !== undefined) {
    const chargedAt = await engine.blockSeconds(blockNumber)
    return { state, binding, transaction, chargedAt, now: engine.chainNow() }
  }
  return mayStillBeCharged(engine, record)
    ? { state: 'pending', binding, transaction, now: engine.chainNow() }
    : undefined
}

function mayBeForgotten(record: PaymentRecord | undefined, { authorization }: LedgerPayment): boolean {
  if (record === undefined) return isBoundNonce(authorization.nonce)
  return record.state === 'held' || record.state === 'released' || record.state === 'expired'
}

function mayStillBeCharged({ network }: Engine, record: PaymentRecord): boolean {
  if (record.state === 'failed') return !isFinalFailure(record, network)
  return record.state === 'captured' || record.state === 'submitted' || record.state === 'settled'
}

/** A payer may sign one nonce twice, for different terms: the ledger has the first. */
function isSame({ authorization }: PaymentRecord, payment: PaymentRequest['payment']): boolean {
  const { to, value, validAfter, validBefore } = payment.authorization
  return (
    authorization.to === to &&
    authorization.value === value &&
    authorization.validAfter === validAfter &&
    authorization.validBefore === validBefore
  )
}
