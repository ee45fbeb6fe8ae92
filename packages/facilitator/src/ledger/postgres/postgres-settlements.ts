import { nowSeconds, type Clock } from '@farebox/protocol/time/clock'
import type { PayerFailureLimits } from '../ledger.ts'
import {
  dropsOthers,
  type ClosedTransaction,
  type Conclusion,
  type OpenTransaction,
  type SenderLease,
  type SenderLeases,
  type SettlementLedger,
  type SignedSettlement,
  type UnattendedRelayer,
} from '../settlement-ledger.ts'
import type { Database } from '@farebox/server/internal/postgres/connect'
import { groupRequests } from './group-requests.ts'
import { PAYMENT_COLUMNS, toPaymentRecord, type PaymentRow } from './payment-rows.ts'
import { captureValues, readCapture, type CaptureRow } from './postgres-payments.ts'
import type { NotifyQuery } from './postgres-signals.ts'
import { concludedSignal } from './signal-payload.ts'

interface TransactionRow {
  readonly id: string
  readonly relayer: string
  readonly nonce: string
  readonly hashes: readonly string[]
  readonly raw: string
  readonly max_fee: string
  readonly priority_fee: string
  readonly payments: readonly PaymentRow[] | null
}

/** Conclusions of one transaction, or of none. */
interface Concluding {
  readonly conclusions: readonly Conclusion[]
  readonly closes: ClosedTransaction | undefined
}

/** What became of a capture, the transaction if it was saved, and the payment's row from before. */
interface ChargeRow {
  readonly captured: CaptureRow
  readonly id: string | null
  readonly payment: PaymentRow | null
}

/** Three lists in one row, each null where it is empty. */
interface BacklogRow {
  readonly together: readonly PaymentRow[] | null
  readonly alone: readonly PaymentRow[] | null
  readonly open: readonly TransactionRow[] | null
}

/** The errcode `submit` raises, to undo everything, when a payment was taken by somebody else. */
const NOT_CAPTURED = 'FB001'

/** {@link SettlementLedger} on PostgreSQL. */
export function createPostgresSettlements(
  database: Database,
  clock: Clock,
  { failureLimits, notify }: { readonly failureLimits: PayerFailureLimits; readonly notify: NotifyQuery },
): SettlementLedger {
  const { schema, query } = database
  // As JSON: one round trip, and nothing to read column by column.
  const rowsOf = (keys: string): string => `(select json_agg(waiting) from (
      select ${PAYMENT_COLUMNS} from unnest(turns.${keys}) with ordinality as turn (its_key, place)
        join ${schema}.payments on key = its_key order by place) waiting)`
  const backlog = `with turns as materialized (select * from ${schema}.take_turns($1, $2, $3, $4, $5))
    select ${rowsOf('together')} as together, ${rowsOf('apart')} as alone,
    (select json_agg(sent) from (
      select id::text, relayer, nonce::text, hashes, raw, max_fee::text, priority_fee::text,
        (select json_agg(carried) from (
          select ${PAYMENT_COLUMNS} from ${schema}.payments
            where transaction_id = t.id and state = 'submitted' order by captured_at, key) carried
        ) as payments
        from ${schema}.transactions t where network = $1 and relayer = any ($2) and state = 'open'
          order by t.relayer, t.nonce) sent
    ) as open from turns`
  const unattended = `select relayer, count(*)::integer as transactions from ${schema}.transactions t
    where network = $1 and state = 'open' and not exists (
      select 1 from ${schema}.sender_leases l
        where l.network = t.network and l.relayer = t.relayer and l.expires_at > clock_timestamp())
    group by relayer order by relayer`
  const submit = `select ${schema}.submit($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) as id`
  const captureAndSubmit = `select captured, id::text, (
      select row_to_json(carried) from (select ${PAYMENT_COLUMNS} from ${schema}.payments where key = $9) carried
    ) as payment
    from ${schema}.capture_and_submit($1, $2, $3, $4, $5, $6, $7, $8, $10, $11)`
  const replace = `select ${schema}.replace_transaction($1, $2, $3, $4, $5, $6, $7, $8) as replaced`
  const conclude = `select array(select ${schema}.conclude($1, $2, $3, $4, $5)) as keys,
    pg_notify($6, $7)`
  const writing = new Map<string, Promise<unknown>>()
  const findWriting = (keys: readonly string[]): Promise<unknown> | undefined =>
    keys.map(key => writing.get(key)).find(one => one !== undefined)
  // Transactions of one block end together: what they come to is written once.
  const concludeTogether = groupRequests<Concluding, readonly string[]>(clock, async requests => {
    const conclusions = requests.flatMap(request => request.conclusions)
    const closed = requests.flatMap(({ closes }) =>
      closes ? [{ id: closes.transactionId, as: closes.as }] : [],
    )
    const [row] = await query<{ keys: readonly string[] }>('conclude', conclude, [
      JSON.stringify(conclusions.map(toJson)),
      JSON.stringify(closed),
      nowSeconds(clock),
      failureLimits.failuresAllowed,
      failureLimits.barredSeconds,
      ...notify(concludedSignal(conclusions)),
    ])
    const changed = new Set(row?.keys)
    // Keys that were dropped with their payer belong to the request that concluded so.
    const named = new Set(conclusions.map(({ key }) => key))
    const dropped = [...changed].filter(key => !named.has(key))
    return requests.map(request => [
      ...request.conclusions.map(({ key }) => key).filter(key => changed.has(key)),
      ...(request.conclusions.some(dropsOthers) ? dropped : []),
    ])
  })
  const today = (): string => new Date(clock.nowMs()).toISOString().slice(0, 10)
  return {
    async backlog({ network, relayers, holder }, limits) {
      const values = [network, relayers, holder, limits.together, limits.alone]
      const [row] = await query<BacklogRow>('backlog', backlog, values)
      return {
        together: (row?.together ?? []).map(toPaymentRecord),
        alone: (row?.alone ?? []).map(toPaymentRecord),
        open: (row?.open ?? []).map(toOpen),
      }
    },
    unattended: network => query<UnattendedRelayer>('unattended', unattended, [network]),
    async submit(lease, transaction, keys) {
      const values = [...transactionValues(lease, transaction), keys, today()]
      try {
        const [row] = await query<{ id: string | null }>('submit', submit, values)
        return row?.id ?? undefined
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === NOT_CAPTURED) return undefined
        throw error
      }
    },
    async captureAndSubmit(lease, transaction, request) {
      const [row] = await query<ChargeRow>('captureAndSubmit', captureAndSubmit, [
        ...transactionValues(lease, transaction),
        request.payment.key,
        JSON.stringify(captureValues(request)),
        today(),
      ])
      if (row === undefined) throw new Error('captureAndSubmit returned no row')
      const { captured, id, payment } = row
      const capture = readCapture(captured)
      if (id === null || payment === null) return { capture, submitted: undefined }
      // A statement reads rows as they were when it began.
      const changed = { state: 'submitted', transaction: transaction.hash } as const
      return { capture, submitted: { id, payment: { ...toPaymentRecord(payment), ...changed } } }
    },
    async replace(lease, transactionId, signed) {
      const [row] = await query<{ replaced: boolean }>('replace', replace, [
        lease.network,
        lease.relayer,
        lease.fence.toString(),
        transactionId,
        signed.hash,
        signed.raw,
        signed.maxFeePerGas.toString(),
        signed.maxPriorityFeePerGas.toString(),
      ])
      return row?.replaced === true
    },
    async conclude(conclusions, closes) {
      const keys = conclusions.map(({ key }) => key)
      // Conclusions about one payment are written one after another: in one group, each would count as the one that changed it.
      for (let other = findWriting(keys); other !== undefined; other = findWriting(keys))
        await other.catch(() => undefined)
      const written = concludeTogether({ conclusions, closes })
      for (const key of keys) writing.set(key, written)
      try {
        return await written
      } finally {
        for (const key of keys) writing.delete(key)
      }
    },
  }
}

function transactionValues(
  { network, relayer, fence }: SenderLease,
  { nonce, hash, raw, maxFeePerGas, maxPriorityFeePerGas }: SignedSettlement & { readonly nonce: number },
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

/**
 * {@link SenderLeases} on PostgreSQL; the lease is measured by the database's clock, the one all processes
 * share.
 */
export function createPostgresLeases({ schema, query }: Database): SenderLeases {
  const acquire = `insert into ${schema}.sender_leases as l (network, relayer, holder, fence, expires_at)
    values ($1, $2, $3, 1, clock_timestamp() + $4 * interval '1 millisecond')
    on conflict (network, relayer) do update set
      fence = l.fence + case when l.holder = $3 then 0 else 1 end,
      holder = $3,
      expires_at = excluded.expires_at
    where l.holder = $3 or l.expires_at < clock_timestamp()
    returning fence`
  const giveUp = `update ${schema}.sender_leases set expires_at = '-infinity', holder = ''
    where network = $1 and relayer = $2 and fence = $3`
  return {
    async acquire({ network, relayer }, holder, leaseMs) {
      const [row] = await query<{ fence: string }>('acquire', acquire, [network, relayer, holder, leaseMs])
      return row && { network, relayer, fence: BigInt(row.fence) }
    },
    async giveUp({ network, relayer, fence }) {
      await query('giveUp', giveUp, [network, relayer, fence.toString()])
    },
  }
}

function toOpen(row: TransactionRow): OpenTransaction {
  return {
    id: row.id,
    relayer: row.relayer,
    nonce: Number(row.nonce),
    hash: row.hashes.at(-1) ?? '',
    hashes: row.hashes,
    raw: row.raw,
    maxFeePerGas: BigInt(row.max_fee),
    maxPriorityFeePerGas: BigInt(row.priority_fee),
    payments: (row.payments ?? []).map(toPaymentRecord),
  }
}

function toJson(conclusion: Conclusion): object {
  const { key, from, to } = conclusion
  switch (to) {
    case 'settled':
      return {
        key,
        from,
        to,
        transaction: conclusion.transaction,
        block_number: conclusion.blockNumber.toString(),
      }
    case 'failed':
      return {
        key,
        from,
        to,
        transaction: conclusion.transaction,
        blamed: conclusion.blamed,
        drops_payer: conclusion.dropsPayer,
        ...conclusion.failure,
      }
    case 'captured':
      return {
        key,
        from,
        to,
        transaction: '',
        observed_block: conclusion.observedBlock.toString(),
        is_fault: conclusion.isFault,
        has_code: conclusion.hasCode,
        reverted_gas: conclusion.revertedGas?.toString(),
      }
  }
}
