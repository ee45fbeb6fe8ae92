import { randomUUID } from 'node:crypto'
import type { LedgerTotals } from '../ledger.ts'
import type { PaymentRecord } from '../payment-record.ts'
import type { ForgottenCharge, ReconciliationLedger } from '../reconciliation-ledger.ts'
import type { Database } from '@farebox/server/internal/postgres/connect'
import { PAYMENT_COLUMNS, toPaymentRecord, type PaymentRow } from './payment-rows.ts'

/** {@link ReconciliationLedger} on PostgreSQL. */
export function createPostgresAudit(database: Database): ReconciliationLedger {
  return {
    adopt: charge => adopt(database, charge),
    expireHolds: (network, nowSeconds) => expireHolds(database, network, nowSeconds),
    settledSince: (network, blockNumber, limit) => findSettledSince(database, network, blockNumber, limit),
    unconfirmed: (network, age, limit) => findUnconfirmed(database, network, age, limit),
    confirm: keys => confirm(database, keys),
    uncharged: (network, finalitySeconds, page) => findUncharged(database, network, finalitySeconds, page),
    markAudited: (keys, headSeconds, finalitySeconds) =>
      markAudited(database, keys, headSeconds, finalitySeconds),
    forgetUnused: (network, _finalitySeconds, auditedBefore) =>
      forgetUnused(database, network, auditedBefore),
  }
}

async function adopt(
  { schema, query }: Database,
  { payment, binding, owner, secretId, relayer, transaction, blockNumber }: ForgottenCharge,
): Promise<boolean> {
  const text = `insert into ${schema}.payments as p (key, network, asset, payer, pay_to, value, valid_after, valid_before,
      nonce, signature, binding, owner, secret_id, state, hold_id, hold_until, observed_block, transaction_hash,
      block_number, captured_at, settled_at)
    select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 'settled', $14, 0, $15, $16, $15, now(), now()
      where exists (select 1 from ${schema}.sender_leases where network = $2 and relayer = $17)
    on conflict (key) do update set state = 'settled', transaction_hash = excluded.transaction_hash,
      block_number = excluded.block_number, changed_at = now()
    where p.binding = excluded.binding and p.owner = excluded.owner and (p.state in ('held', 'released', 'expired')
      or p.state = 'settled' and p.transaction_hash = excluded.transaction_hash)
    returning key`
  const { from, to, value, validAfter, validBefore, nonce } = payment.authorization
  const terms = [payment.key, payment.network, payment.asset, from, to, value, validAfter, validBefore, nonce]
  const purpose = [payment.signature, binding, owner, secretId, randomUUID()]
  const values = [...terms, ...purpose, blockNumber.toString(), transaction, relayer]
  return (await query('adopt', text, values)).length > 0
}

/** Rows that one statement expires, so that its duration is bounded. */
const EXPIRED_AT_ONCE = 2_000

async function expireHolds(
  { schema, query }: Database,
  network: string,
  nowSeconds: number,
): Promise<number> {
  // Rows are locked in the order of their keys, as in every statement: see `0001-ledger.sql`.
  const text = `with over as materialized (
      select key from ${schema}.payments
        where network = $1 and state = 'held' and hold_until <= $2 order by hold_until limit ${EXPIRED_AT_ONCE}),
    due as materialized (
      select p.key from ${schema}.payments p join over on over.key = p.key
        where p.state = 'held' and p.hold_until <= $2 order by p.key for no key update of p)
    update ${schema}.payments p set state = 'expired', changed_at = now() from due where p.key = due.key
    returning p.key`
  for (let total = 0; ;) {
    const moved = (await query('expire', text, [network, nowSeconds])).length
    total += moved
    if (moved < EXPIRED_AT_ONCE) return total
  }
}

async function findSettledSince(
  { schema, query }: Database,
  network: string,
  blockNumber: bigint,
  limit: number,
): Promise<readonly PaymentRecord[]> {
  const text = `select ${PAYMENT_COLUMNS} from ${schema}.payments
    where network = $1 and state = 'settled' and not confirmed and block_number >= $2
    order by block_number desc limit $3`
  const values = [network, blockNumber.toString(), limit]
  return (await query<PaymentRow>('settledSince', text, values)).map(toPaymentRecord)
}

async function findUnconfirmed(
  { schema, query }: Database,
  network: string,
  age: { readonly belowSeconds: number } | { readonly fromSeconds: number },
  limit: number,
): Promise<readonly PaymentRecord[]> {
  const unconfirmed = (settledAt: string): string => `select ${PAYMENT_COLUMNS} from ${schema}.payments
    where network = $1 and state = 'settled' and not confirmed and ${settledAt} order by settled_at limit $3`
  const younger = unconfirmed(`settled_at > now() - $2 * interval '1 second'`)
  const older = unconfirmed(`settled_at <= now() - $2 * interval '1 second'`)
  const rows =
    'belowSeconds' in age
      ? await query<PaymentRow>('younger', younger, [network, age.belowSeconds, limit])
      : await query<PaymentRow>('older', older, [network, age.fromSeconds, limit])
  return rows.map(toPaymentRecord)
}

async function confirm({ schema, query }: Database, keys: readonly string[]): Promise<void> {
  const text = `with seen as materialized (
      select key from ${schema}.payments where key = any ($1) and state = 'settled' order by key for no key update)
    update ${schema}.payments p set confirmed = true from seen where p.key = seen.key`
  await query('confirm', text, [keys])
}

async function findUncharged(
  { schema, query }: Database,
  network: string,
  finalitySeconds: number,
  { auditedBefore, limit }: { readonly auditedBefore: number; readonly limit: number },
): Promise<readonly PaymentRecord[]> {
  const text = `select ${PAYMENT_COLUMNS} from ${schema}.payments
    where network = $1 and state in ('failed', 'released', 'expired') and not audit_done
      and audited_at <= valid_before + $2 and audited_at < $3
    order by state <> 'failed', audited_at limit $4`
  const values = [network, finalitySeconds, auditedBefore, limit]
  return (await query<PaymentRow>('uncharged', text, values)).map(toPaymentRecord)
}

async function markAudited(
  { schema, query }: Database,
  keys: readonly string[],
  headSeconds: number,
  finalitySeconds: number,
): Promise<void> {
  const text = `with seen as materialized (
      select key from ${schema}.payments where key = any ($1) order by key for no key update)
    update ${schema}.payments p set audited_at = $2, audit_done = $2 > p.valid_before + $3 from seen where p.key = seen.key`
  await query('markAudited', text, [keys, headSeconds, finalitySeconds])
}

const FORGOTTEN_AT_ONCE = 5_000

async function forgetUnused(
  { schema, query }: Database,
  network: string,
  auditedBefore: number,
): Promise<number> {
  const text = `with gone as (
      delete from ${schema}.payments where key in (
        select key from ${schema}.payments
          where network = $1 and state in ('released', 'expired') and audit_done and audited_at < $2
          limit ${FORGOTTEN_AT_ONCE} for update skip locked)
      returning 1)
    select count(*)::integer as gone from gone`
  const [row] = await query<{ gone: number }>('forgetUnused', text, [network, auditedBefore])
  return row?.gone ?? 0
}

/** The open payments now. */
export async function readTotals(
  { schema, query }: Database,
  network: string,
  nowSeconds: number,
): Promise<LedgerTotals> {
  const text = `select
      count(*) filter (where state = 'held' and hold_until > $2) as held,
      coalesce(sum(value) filter (where state = 'held' and hold_until > $2), 0) as held_sum,
      count(*) filter (where state = 'captured') as captured,
      count(*) filter (where state = 'submitted') as submitted,
      coalesce(extract(epoch from now() - min(captured_at) filter (where state <> 'held')), 0) as oldest
    from ${schema}.payments where network = $1 and state in ('held', 'captured', 'submitted')`
  type Row = { held: string; held_sum: string; captured: string; submitted: string; oldest: string }
  const [row] = await query<Row>('totals', text, [network, nowSeconds])
  return {
    held: Number(row?.held ?? 0),
    heldAtomic: BigInt(row?.held_sum ?? 0),
    captured: Number(row?.captured ?? 0),
    submitted: Number(row?.submitted ?? 0),
    oldestPendingSeconds: Number(row?.oldest ?? 0),
  }
}
