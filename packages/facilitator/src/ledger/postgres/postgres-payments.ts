import type {
  CaptureOutcome,
  CaptureRequest,
  HoldOutcome,
  HoldRequest,
  PaymentLedger,
} from '../payment-ledger.ts'
import type { Database } from './connect.ts'
import { PAYMENT_COLUMNS, toPaymentRecord, type PaymentRow } from './payment-rows.ts'

interface HoldRow {
  readonly outcome: HoldOutcome['kind']
  readonly held_until: string | null
  readonly transaction_hash: string | null
  readonly reason: string | null
  readonly message: string | null
  readonly open_sum: string | null
  readonly settling_sum: string | null
  readonly barred_until: string | null
}

interface CaptureRow {
  readonly outcome: CaptureOutcome['kind']
  readonly first: boolean
  readonly transaction_hash: string | null
  readonly reason: string | null
  readonly message: string | null
}

/** {@link PaymentLedger} on PostgreSQL: the steps are functions of the schema, one round trip each. */
export function createPostgresPayments(database: Database): PaymentLedger {
  const { schema, query } = database
  const hold = `select * from ${schema}.hold(${placeholders(19)})`
  const capture = `select * from ${schema}.capture(${placeholders(7)})`
  const release = `update ${schema}.payments set state = 'released', changed_at = now()
    where hold_id = $1 and owner = $2 and state = 'held' returning key`
  const find = `select ${PAYMENT_COLUMNS} from ${schema}.payments where key = any ($1)`
  return {
    async hold(request) {
      const [row] = await query<HoldRow>('hold', hold, holdValues(request))
      return readHold(request, row)
    },
    async capture({ payment, binding, owner }: CaptureRequest) {
      const { to, value, validAfter, validBefore } = payment.authorization
      const values = [payment.key, binding, owner, to, value, validAfter, validBefore]
      const [row] = await query<CaptureRow>('capture', capture, values)
      return readCapture(row)
    },
    async release(holdId, owner) {
      return (await query('release', release, [holdId, owner])).length > 0
    },
    async find(keys) {
      return (await query<PaymentRow>('find', find, [keys])).map(toPaymentRecord)
    },
  }
}

function holdValues(request: HoldRequest): readonly unknown[] {
  const { payment, observed } = request
  const { from, to, value, validAfter, validBefore, nonce } = payment.authorization
  return [
    payment.key,
    payment.network,
    payment.asset,
    from,
    to,
    value,
    validAfter,
    validBefore,
    nonce,
    payment.signature,
    request.binding,
    request.owner,
    request.secretId,
    request.holdId,
    Math.ceil(request.holdUntil),
    request.nowSeconds,
    observed.balanceAtomic.toString(),
    observed.blockNumber.toString(),
    request.dailySettlements,
  ]
}

function readHold(request: HoldRequest, row: HoldRow | undefined): HoldOutcome {
  if (row === undefined) throw new Error('hold() returned no row')
  switch (row.outcome) {
    case 'held':
      return { kind: 'held', holdId: request.holdId, holdUntil: Number(row.held_until) }
    case 'in-settlement':
      return { kind: 'in-settlement', transaction: row.transaction_hash ?? '' }
    case 'failed':
      return { kind: 'failed', reason: row.reason ?? '', message: row.message ?? '' }
    case 'insufficient':
      return {
        kind: 'insufficient',
        openAtomic: BigInt(row.open_sum ?? 0),
        settlingAtomic: BigInt(row.settling_sum ?? 0),
      }
    case 'payer-barred':
      return { kind: 'payer-barred', untilSeconds: Number(row.barred_until) }
    case 'bound-otherwise':
    case 'over-budget':
      return { kind: row.outcome }
  }
}

function readCapture(row: CaptureRow | undefined): CaptureOutcome {
  if (row === undefined) throw new Error('capture() returned no row')
  const transaction = row.transaction_hash ?? ''
  switch (row.outcome) {
    case 'captured':
      return { kind: 'captured', first: row.first, transaction }
    case 'settled':
      return { kind: 'settled', transaction }
    case 'failed':
      return { kind: 'failed', reason: row.reason ?? '', message: row.message ?? '', transaction }
    case 'released':
    case 'bound-otherwise':
    case 'absent':
      return { kind: row.outcome }
  }
}

function placeholders(count: number): string {
  return Array.from({ length: count }, (_, index) => `$${index + 1}`).join(', ')
}
