import type { PaymentRecord, PaymentState } from '../payment-record.ts'

/** A row of `payments` as pg returns it: int8 and numeric are strings, in JSON too because they are selected as strings. */
export interface PaymentRow {
  readonly key: string
  readonly network: string
  readonly asset: string
  readonly payer: string
  readonly pay_to: string
  readonly value: string
  readonly valid_after: string
  readonly valid_before: string
  readonly nonce: string
  readonly signature: string
  readonly binding: string
  readonly trace: string | null
  readonly owner: string
  readonly secret_id: string
  readonly state: PaymentState
  readonly hold_id: string
  readonly hold_until: string
  readonly observed_block: string
  readonly attempts: number
  readonly faults: number
  readonly alone: boolean
  readonly transaction_id: string | null
  readonly transaction_hash: string
  readonly block_number: string | null
  readonly failure_reason: string | null
  readonly failure_message: string | null
  readonly audited_at: string
  readonly was_settled: boolean
}

/** The columns of {@link PaymentRow}, for select lists and for rows selected as JSON. */
export const PAYMENT_COLUMNS = [
  'key',
  'network',
  'asset',
  'payer',
  'pay_to',
  'value::text as value',
  'valid_after::text as valid_after',
  'valid_before::text as valid_before',
  'nonce',
  'signature',
  'binding',
  'trace',
  'owner',
  'secret_id',
  'state',
  'hold_id',
  'hold_until::text as hold_until',
  'observed_block::text as observed_block',
  'attempts',
  'faults',
  'alone',
  'transaction_id::text as transaction_id',
  'transaction_hash',
  'block_number::text as block_number',
  'failure_reason',
  'failure_message',
  'audited_at::text as audited_at',
  'settled_at is not null as was_settled',
].join(', ')

/** Converts a row to a {@link PaymentRecord}. */
export function toPaymentRecord(row: PaymentRow): PaymentRecord {
  return {
    key: row.key,
    network: row.network,
    asset: row.asset,
    authorization: {
      from: row.payer,
      to: row.pay_to,
      value: row.value,
      validAfter: row.valid_after,
      validBefore: row.valid_before,
      nonce: row.nonce,
    },
    signature: row.signature,
    binding: row.binding,
    trace: row.trace ?? undefined,
    owner: row.owner,
    secretId: row.secret_id,
    state: row.state,
    holdId: row.hold_id,
    holdUntil: Number(row.hold_until),
    observedBlock: BigInt(row.observed_block),
    attempts: row.attempts,
    faults: row.faults,
    alone: row.alone,
    transaction: row.transaction_hash,
    blockNumber: row.block_number === null ? undefined : BigInt(row.block_number),
    failure:
      row.failure_reason === null
        ? undefined
        : { reason: row.failure_reason, message: row.failure_message ?? '' },
    auditedAt: Number(row.audited_at),
    wasSettled: row.was_settled,
  }
}
