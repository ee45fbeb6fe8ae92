import type { Clock } from '@farebox/protocol/time/clock'
import type { PayerFailureLimits } from '../ledger.ts'
import type {
  Budget,
  CaptureOutcome,
  CaptureRequest,
  HoldOutcome,
  PaymentToHold,
  PaymentLedger,
} from '../payment-ledger.ts'
import type { PaymentRecord } from '../payment-record.ts'
import type { Database } from '@farebox/server/internal/postgres/connect'
import { groupRequests } from './group-requests.ts'
import { toLimitsJson } from './postgres-owners.ts'
import { PAYMENT_COLUMNS, toPaymentRecord, type PaymentRow } from './payment-rows.ts'

/** As the database returns it in JSON; sums are strings, because they may exceed the range of a number. */
interface HoldRow {
  readonly outcome: HoldOutcome['kind']
  readonly held_until: number | null
  readonly transaction_hash: string | null
  readonly reason: string | null
  readonly message: string | null
  readonly open_sum: string | null
  readonly settling_sum: string | null
  readonly barred_until: number | null
  readonly used: number | null
  readonly daily_limit: number | null
}

/** A capture's row, as {@link readCapture} reads it. */
export interface CaptureRow {
  readonly outcome: CaptureOutcome['kind']
  readonly first: boolean
  readonly transaction_hash: string | null
  readonly reason: string | null
  readonly message: string | null
  readonly used: number | null
  readonly daily_limit: number | null
}

/**
 * {@link PaymentLedger} on PostgreSQL: the steps are functions of the schema, called in one round trip for all requests of
 * the same moment.
 */
export function createPostgresPayments(
  database: Database,
  clock: Clock,
  { failuresAllowed, barredSeconds }: PayerFailureLimits,
): PaymentLedger {
  const { schema, query } = database
  const hold = `select ${schema}.hold_together($1, $2, $3) as outcomes`
  const capture = `select ${schema}.capture_together($1) as outcomes`
  const release = `update ${schema}.payments set state = 'released', changed_at = now()
    where hold_id = $1 and owner = $2 and binding = $3 and state in ('held', 'expired') returning key`
  const find = `select ${PAYMENT_COLUMNS} from ${schema}.payments where key = any ($1)`

  const together = async <Row>(
    name: string,
    text: string,
    requests: readonly object[],
    more: readonly unknown[] = [],
  ): Promise<Row[]> => {
    const [row] = await query<{ outcomes: Row[] }>(name, text, [JSON.stringify(requests), ...more])
    if (row === undefined) throw new Error(`${name} returned no row`)
    return row.outcomes
  }
  const findAll = async (keys: readonly string[]): Promise<ReadonlyMap<string, PaymentRecord>> =>
    new Map((await query<PaymentRow>('find', find, [keys])).map(row => [row.key, toPaymentRecord(row)]))

  return {
    hold: groupRequests(clock, async requests => {
      const rows = await together<HoldRow>('holdTogether', hold, requests.map(holdValues), [
        failuresAllowed,
        barredSeconds,
      ])
      return rows.map((row, index) => readHold(requests[index]?.holdId ?? '', row))
    }),
    capture: groupRequests(clock, async requests =>
      (await together<CaptureRow>('captureTogether', capture, requests.map(captureValues))).map(readCapture),
    ),
    async release({ holdId, binding, owner }) {
      const [row] = await query<{ key: string }>('release', release, [holdId, owner, binding])
      return row?.key
    },
    find: groupRequests(clock, async (requests: readonly (readonly string[])[]) => {
      const found = await findAll([...new Set(requests.flat())])
      return requests.map(keys => [...new Set(keys)].flatMap(key => found.get(key) ?? []))
    }),
  }
}

function holdValues(request: PaymentToHold): object {
  const { payment, observed } = request
  const { from, to, value, validAfter, validBefore, nonce } = payment.authorization
  return {
    key: payment.key,
    network: payment.network,
    asset: payment.asset,
    payer: from,
    pay_to: to,
    value,
    valid_after: validAfter,
    valid_before: validBefore,
    nonce,
    signature: payment.signature,
    binding: request.binding,
    owner: request.owner,
    secret_id: request.secretId,
    hold_id: request.holdId,
    hold_until: Math.ceil(request.holdUntil),
    now: request.nowSeconds,
    balance: observed.balanceAtomic.toString(),
    block: observed.blockNumber.toString(),
    alone: request.alone,
    trace: request.trace,
    limits: toLimitsJson(request.limits),
  }
}

/** A capture in the form that the functions of the schema take. */
export function captureValues({ payment, binding, owner, bounds }: CaptureRequest): object {
  const { to, value, validAfter, validBefore } = payment.authorization
  return {
    key: payment.key,
    binding,
    owner,
    pay_to: to,
    value,
    valid_after: validAfter,
    valid_before: validBefore,
    ...(bounds && { limits: toLimitsJson(bounds.limits), now: bounds.nowSeconds }),
  }
}

function readHold(holdId: string, row: HoldRow): HoldOutcome {
  switch (row.outcome) {
    case 'held':
      return { kind: 'held', holdId, holdUntil: row.held_until ?? 0, budget: readBudget(row) }
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
      return { kind: 'payer-barred', untilSeconds: row.barred_until ?? 0 }
    case 'over-budget':
      return { kind: 'over-budget', budget: readBudget(row) }
    case 'bound-otherwise':
    case 'too-many-open':
    case 'owner-too-many-open':
    case 'code-not-sponsored':
    case 'gas-used-up':
      return { kind: row.outcome }
  }
}

function readBudget({ used, daily_limit }: Pick<HoldRow, 'used' | 'daily_limit'>): Budget {
  return { used: used ?? 0, limit: daily_limit ?? undefined }
}

/** The outcome of a capture, from its row. */
export function readCapture(row: CaptureRow): CaptureOutcome {
  const transaction = row.transaction_hash ?? ''
  switch (row.outcome) {
    case 'captured':
      return { kind: 'captured', first: row.first, transaction }
    case 'settled':
      return { kind: 'settled', transaction }
    case 'failed':
      return { kind: 'failed', reason: row.reason ?? '', message: row.message ?? '', transaction }
    case 'over-budget':
      return { kind: 'over-budget', budget: readBudget(row) }
    case 'released':
    case 'bound-otherwise':
    case 'absent':
      return { kind: row.outcome }
  }
}
