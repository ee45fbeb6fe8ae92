import type { Database } from '@farebox/server/internal/postgres/connect'
import type { Backlog, OpenTransaction, Sender, UnattendedRelayer } from '../settlement-ledger.ts'
import { PAYMENT_COLUMNS, toPaymentRecord, type PaymentRow } from './payment-rows.ts'

/** Three lists in one row; an empty list is null. */
interface BacklogRow {
  readonly together: readonly PaymentRow[] | null
  readonly alone: readonly PaymentRow[] | null
  readonly open: readonly TransactionRow[] | null
}

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

/** See `SettlementLedger.backlog`. */
export async function readBacklog(
  { schema, query }: Database,
  { network, relayers, holder }: Sender,
  limits: { readonly together: number; readonly alone: number },
): Promise<Backlog> {
  const values = [network, relayers, holder, limits.together, limits.alone]
  const [row] = await query<BacklogRow>('backlog', backlogStatement(schema), values)
  return {
    together: (row?.together ?? []).map(toPaymentRecord),
    alone: (row?.alone ?? []).map(toPaymentRecord),
    open: (row?.open ?? []).map(toOpenTransaction),
  }
}

/** Returns JSON: one round trip, and no columns to parse one by one. */
function backlogStatement(schema: string): string {
  const rowsOf = (keys: string): string => `(select json_agg(waiting) from (
      select ${PAYMENT_COLUMNS} from unnest(turns.${keys}) with ordinality as turn (its_key, place)
        join ${schema}.payments on key = its_key order by place) waiting)`
  return `with turns as materialized (select * from ${schema}.take_turns($1, $2, $3, $4, $5))
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
}

function toOpenTransaction(row: TransactionRow): OpenTransaction {
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

/** See `SettlementLedger.unattended`. */
export async function countUnattended(
  { schema, query }: Database,
  network: string,
): Promise<readonly UnattendedRelayer[]> {
  const text = `select relayer, count(*)::integer as transactions from ${schema}.transactions t
    where network = $1 and state = 'open' and not exists (
      select 1 from ${schema}.sender_leases l
        where l.network = t.network and l.relayer = t.relayer and l.expires_at > clock_timestamp())
    group by relayer order by relayer`
  return await query<UnattendedRelayer>('unattended', text, [network])
}
