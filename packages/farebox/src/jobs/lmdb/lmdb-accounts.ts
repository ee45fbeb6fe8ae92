import type { Database, RootDatabase } from 'lmdb'
import {
  enterRows,
  settleRows,
  type AccountRow,
  type EnteredRows,
  type Settlement,
  type SumRow,
} from '../account-row.ts'
import type { EnterOutcome, Entry, EntryChange, Totals } from '../job-accounts.ts'

/** The accounts of an lmdb job store. Methods that write must be called inside a transaction of the database. */
export interface LmdbAccounts {
  /** The caller must have checked that the job is held and not settled. */
  enter(jobKey: string, change: EntryChange, nowMs: number): EnterOutcome
  settle(jobKey: string, settlement: Settlement, nowMs: number): void
  entry(jobKey: string, name: string, nowMs: number): Entry | undefined
  totals(jobKey: string, sums: readonly string[], nowMs: number): Totals
  /** Deletes expired rows, at most `limit` of them. */
  sweep(beforeMs: number, limit: number): void
}

/** Version of the row format. */
const ROW_VERSION = 1

type EncodedAccount = [
  version: number,
  forgottenMs: number,
  total: string,
  untilSettled: [sum: string, amount: string][],
  revisions: [name: string, revision: number][],
]
type EncodedSum = [version: number, forgottenMs: number, total: string]
type ExpiryKey = [forgottenMs: number, table: 'account' | 'sum', key: string]

interface OpenTables {
  readonly accounts: Database<string, string>
  readonly texts: Database<string, [jobKey: string, name: string]>
  readonly sums: Database<string, string>
  readonly expiry: Database<string, ExpiryKey>
}

/** Opens the tables, and creates missing ones. Errors of lmdb pass. */
export function openLmdbAccounts(root: RootDatabase): LmdbAccounts {
  const tables: OpenTables = {
    accounts: root.openDB<string, string>('accounts', { encoding: 'string' }),
    texts: root.openDB<string, [jobKey: string, name: string]>('entries', { encoding: 'string' }),
    sums: root.openDB<string, string>('sums', { encoding: 'string' }),
    expiry: root.openDB<string, ExpiryKey>('accounts-expiry', { encoding: 'string' }),
  }
  return {
    enter(jobKey, change, nowMs) {
      const account = accountAt(tables, jobKey, nowMs)
      const rows = enterRows(account, key => sumAt(tables, key, nowMs), change, nowMs)
      if (rows.kind !== 'entered') return rows
      if (account === undefined) removeForgotten(tables, jobKey)
      put(tables, jobKey, rows)
      tables.texts.putSync([jobKey, change.name], change.text)
      return { kind: 'entered' }
    },
    settle(jobKey, settlement, nowMs) {
      const account = accountAt(tables, jobKey, nowMs)
      if (account !== undefined)
        put(
          tables,
          jobKey,
          settleRows(account, key => sumAt(tables, key, nowMs), settlement),
        )
    },
    entry(jobKey, name, nowMs) {
      const revision = accountAt(tables, jobKey, nowMs)?.revisions.get(name)
      const text = revision === undefined ? undefined : tables.texts.get([jobKey, name])
      return revision === undefined || text === undefined ? undefined : { revision, text }
    },
    totals: (jobKey, keys, nowMs) => ({
      job: accountAt(tables, jobKey, nowMs)?.total ?? 0n,
      sums: keys.map(key => sumAt(tables, key, nowMs)?.total ?? 0n),
    }),
    sweep: (beforeMs, limit) => sweep(tables, beforeMs, limit),
  }
}

function accountAt({ accounts }: OpenTables, jobKey: string, nowMs: number): AccountRow | undefined {
  const account = decodeAccount(accounts.get(jobKey))
  return account !== undefined && account.forgottenMs > nowMs ? account : undefined
}

function sumAt({ sums }: OpenTables, key: string, nowMs: number): SumRow | undefined {
  const sum = decodeSum(sums.get(key))
  return sum !== undefined && sum.forgottenMs > nowMs ? sum : undefined
}

/** Removes an expired account that no sweep has removed yet. */
function removeForgotten(tables: OpenTables, jobKey: string): void {
  const forgotten = decodeAccount(tables.accounts.get(jobKey))
  if (forgotten === undefined) return
  tables.expiry.removeSync([forgotten.forgottenMs, 'account', jobKey])
  removeAccount(tables, jobKey)
}

function removeAccount({ accounts, texts }: OpenTables, jobKey: string): void {
  for (const name of decodeAccount(accounts.get(jobKey))?.revisions.keys() ?? [])
    texts.removeSync([jobKey, name])
  accounts.removeSync(jobKey)
}

function put(tables: OpenTables, jobKey: string, rows: EnteredRows): void {
  const { accounts, sums } = tables
  const before = decodeAccount(accounts.get(jobKey))?.forgottenMs
  moveExpiry(tables, ['account', jobKey], before, rows.account.forgottenMs)
  accounts.putSync(jobKey, encodeAccount(rows.account))
  for (const [key, sum] of rows.sums) {
    moveExpiry(tables, ['sum', key], decodeSum(sums.get(key))?.forgottenMs, sum.forgottenMs)
    sums.putSync(key, JSON.stringify([ROW_VERSION, sum.forgottenMs, String(sum.total)]))
  }
}

function moveExpiry(
  { expiry }: OpenTables,
  [table, key]: readonly [ExpiryKey[1], string],
  beforeMs: number | undefined,
  afterMs: number,
): void {
  if (beforeMs === afterMs) return
  if (beforeMs !== undefined) expiry.removeSync([beforeMs, table, key])
  expiry.putSync([afterMs, table, key], '')
}

function sweep(tables: OpenTables, beforeMs: number, limit: number): void {
  const { sums, expiry } = tables
  // The keys are read completely first, because the loop deletes from the index that it would be reading.
  const due = [...expiry.getKeys({ end: [beforeMs], limit })]
  for (const expired of due) {
    const [, table, key] = expired
    if (table === 'account') removeAccount(tables, key)
    else sums.removeSync(key)
    expiry.removeSync(expired)
  }
}

function encodeAccount({ forgottenMs, total, untilSettled, revisions }: AccountRow): string {
  const amounts = [...untilSettled].map(([sum, amount]) => [sum, String(amount)] as [string, string])
  const row: EncodedAccount = [ROW_VERSION, forgottenMs, String(total), amounts, [...revisions]]
  return JSON.stringify(row)
}

function decodeAccount(encoded: string | undefined): AccountRow | undefined {
  if (encoded === undefined) return undefined
  // Only this file writes these rows, so their shape is known.
  const [version, forgottenMs, total, untilSettled, revisions] = JSON.parse(encoded) as EncodedAccount
  if (version !== ROW_VERSION) throw laterRelease()
  return {
    forgottenMs,
    total: BigInt(total),
    untilSettled: new Map(untilSettled.map(([sum, amount]) => [sum, BigInt(amount)])),
    revisions: new Map(revisions),
  }
}

function decodeSum(encoded: string | undefined): SumRow | undefined {
  if (encoded === undefined) return undefined
  // Only this file writes these rows, so their shape is known.
  const [version, forgottenMs, total] = JSON.parse(encoded) as EncodedSum
  if (version !== ROW_VERSION) throw laterRelease()
  return { forgottenMs, total: BigInt(total) }
}

function laterRelease(): Error {
  return new Error('it holds an account that this release cannot read; did a later one write it?')
}
