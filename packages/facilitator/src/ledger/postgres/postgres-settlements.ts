import type { Clock } from '@farebox/protocol/time/clock'
import type { Database } from '@farebox/server/internal/postgres/connect'
import type { CaptureOutcome, CaptureRequest } from '../payment-ledger.ts'
import type { PaymentRecord } from '../payment-record.ts'
import type {
  NumberedSettlement,
  SenderLease,
  SettlementLedger,
  SignedSettlement,
} from '../settlement-ledger.ts'
import { PAYMENT_COLUMNS, toPaymentRecord, type PaymentRow } from './payment-rows.ts'
import { countUnattended, readBacklog } from './postgres-backlog.ts'
import { createConclude, type ConclusionParts } from './postgres-conclusions.ts'
import { captureValues, readCapture, type CaptureRow } from './postgres-payments.ts'

/** {@link SettlementLedger} on PostgreSQL. */
export function createPostgresSettlements(parts: ConclusionParts): SettlementLedger {
  const { database, clock } = parts
  return {
    backlog: (sender, limits) => readBacklog(database, sender, limits),
    unattended: network => countUnattended(database, network),
    submit: (lease, transaction, keys) => submit(database, lease, transaction, { keys, day: utcDay(clock) }),
    captureAndSubmit: (lease, transaction, request) =>
      captureAndSubmit(database, lease, transaction, { request, day: utcDay(clock) }),
    replace: (lease, transactionId, signed) => replace(database, lease, transactionId, signed),
    conclude: createConclude(parts),
  }
}

/** The errcode that `submit` raises, to roll back everything, when another process took a payment. */
const NOT_CAPTURED = 'FB001'

async function submit(
  { schema, query }: Database,
  lease: SenderLease,
  transaction: NumberedSettlement,
  { keys, day }: { readonly keys: readonly string[]; readonly day: string },
): Promise<string | undefined> {
  const text = `select ${schema}.submit($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) as id`
  const values = [...transactionValues(lease, transaction), keys, day]
  try {
    const [row] = await query<{ id: string | null }>('submit', text, values)
    return row?.id ?? undefined
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === NOT_CAPTURED) return undefined
    throw error
  }
}

/** The outcome of a capture, the transaction if it was saved, and the payment's row before the capture. */
interface ChargeRow {
  readonly captured: CaptureRow
  readonly id: string | null
  readonly payment: PaymentRow | null
}

async function captureAndSubmit(
  { schema, query }: Database,
  lease: SenderLease,
  transaction: NumberedSettlement,
  { request, day }: { readonly request: CaptureRequest; readonly day: string },
): Promise<{
  readonly capture: CaptureOutcome
  readonly submitted: { readonly id: string; readonly payment: PaymentRecord } | undefined
}> {
  const text = `select captured, id::text, (
      select row_to_json(carried) from (select ${PAYMENT_COLUMNS} from ${schema}.payments where key = $9) carried
    ) as payment
    from ${schema}.capture_and_submit($1, $2, $3, $4, $5, $6, $7, $8, $10, $11)`
  const [row] = await query<ChargeRow>('captureAndSubmit', text, [
    ...transactionValues(lease, transaction),
    request.payment.key,
    JSON.stringify(captureValues(request)),
    day,
  ])
  if (row === undefined) throw new Error('captureAndSubmit returned no row')
  const { captured, id, payment } = row
  const capture = readCapture(captured)
  if (id === null || payment === null) return { capture, submitted: undefined }
  // A statement sees rows as of its start, so the row's new state is filled in here.
  const changed = { state: 'submitted', transaction: transaction.hash } as const
  return { capture, submitted: { id, payment: { ...toPaymentRecord(payment), ...changed } } }
}

function transactionValues(
  { network, relayer, fence }: SenderLease,
  { nonce, hash, raw, maxFeePerGas, maxPriorityFeePerGas }: NumberedSettlement,
): readonly unknown[] {
  return [
    network,
    relayer,
    fence.toString(),
    nonce,
    hash,
    raw,
    maxFeePerGas.toString(),
    maxPriorityFeePerGas.toString(),
  ]
}

async function replace(
  { schema, query }: Database,
  { network, relayer, fence }: SenderLease,
  transactionId: string,
  signed: SignedSettlement,
): Promise<boolean> {
  const text = `select ${schema}.replace_transaction($1, $2, $3, $4, $5, $6, $7, $8) as replaced`
  const [row] = await query<{ replaced: boolean }>('replace', text, [
    network,
    relayer,
    fence.toString(),
    transactionId,
    signed.hash,
    signed.raw,
    signed.maxFeePerGas.toString(),
    signed.maxPriorityFeePerGas.toString(),
  ])
  return row?.replaced === true
}

function utcDay(clock: Clock): string {
  return new Date(clock.nowMs()).toISOString().slice(0, 10)
}
