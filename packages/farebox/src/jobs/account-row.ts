import type { EnterOutcome, EntryChange } from './job-accounts.ts'

/** An account as the stores that run in our own process keep it; its texts lie apart. Times are the store's, in ms. */
export interface AccountRow {
  /** Atomic units. */
  readonly total: bigint
  /** What was entered into each sum that counts until the job is settled. */
  readonly untilSettled: ReadonlyMap<string, bigint>
  readonly revisions: ReadonlyMap<string, number>
  readonly forgottenMs: number
}

/** A sum over jobs. */
export interface SumRow {
  /** Atomic units. */
  readonly total: bigint
  readonly forgottenMs: number
}

/** The rows after a change. */
export interface EnteredRows {
  readonly kind: 'entered'
  readonly account: AccountRow
  readonly sums: ReadonlyMap<string, SumRow>
}

/** How a job was settled. */
export interface Settlement {
  /** Atomic units; asked for only where the job has an account. */
  readonly paid: () => bigint
  /** When its record is forgotten. */
  readonly forgottenMs: number
}

const NO_ACCOUNT: AccountRow = {
  total: 0n,
  untilSettled: new Map(),
  revisions: new Map(),
  forgottenMs: 0,
}

/** The rows after an entry was written, or why it was not. Forgotten rows count as none. */
export function enterRows(
  account: AccountRow = NO_ACCOUNT,
  sumOf: (key: string) => SumRow | undefined,
  change: EntryChange,
  nowMs: number,
): EnteredRows | Exclude<EnterOutcome, { kind: 'entered' }> {
  const { name, replaces, keepMs, mostEntries, amount, mostOfJob } = change
  if ((account.revisions.get(name) ?? 0) !== replaces) return { kind: 'replaced' }
  if (replaces === 0 && account.revisions.size >= mostEntries) return { kind: 'full' }
  const total = account.total + amount
  if (amount > 0n && total > mostOfJob)
    return { kind: 'over', sum: undefined, left: positive(mostOfJob - account.total) }
  const sums = new Map<string, SumRow>()
  const untilSettled = new Map(account.untilSettled)
  for (const sum of change.sums) {
    const before = sumOf(sum.key)
    const had = before?.total ?? 0n
    if (amount > 0n && had + amount > sum.most)
      return { kind: 'over', sum: sum.key, left: positive(sum.most - had) }
    const forgottenMs = Math.max(before?.forgottenMs ?? 0, nowMs + sum.keepMs)
    sums.set(sum.key, { total: had + amount, forgottenMs })
    if (sum.untilSettled) untilSettled.set(sum.key, (untilSettled.get(sum.key) ?? 0n) + amount)
  }
  const revisions = new Map(account.revisions).set(name, replaces + 1)
  const forgottenMs = Math.max(account.forgottenMs, nowMs + keepMs)
  return { kind: 'entered', account: { total, untilSettled, revisions, forgottenMs }, sums }
}

/**
 * The rows after the job was settled: of what counted until then as much counts no more as the job was paid, and the
 * account goes with the record. What it was not paid for stays in the sums.
 */
export function settleRows(
  account: AccountRow,
  sumOf: (key: string) => SumRow | undefined,
  { paid, forgottenMs }: Settlement,
): EnteredRows {
  const sums = new Map<string, SumRow>()
  const counted = account.untilSettled.size === 0 ? 0n : paid()
  for (const [key, amount] of account.untilSettled) {
    const before = sumOf(key)
    if (before === undefined) continue
    sums.set(key, { ...before, total: before.total - (amount < counted ? amount : counted) })
  }
  return { kind: 'entered', account: { ...account, untilSettled: new Map(), forgottenMs }, sums }
}

function positive(amount: bigint): bigint {
  return amount > 0n ? amount : 0n
}
