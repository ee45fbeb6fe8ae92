import type { EnterOutcome, EntryChange } from './job-accounts.ts'

/**
 * The row of an account in the in-process stores; its texts are stored separately. Times are the store's, in
 * milliseconds.
 */
export interface AccountRow {
  /** Atomic units. */
  readonly total: bigint
  /** For each sum that counts only until the job is settled, the amount entered by this job. */
  readonly untilSettled: ReadonlyMap<string, bigint>
  readonly revisions: ReadonlyMap<string, number>
  readonly forgottenMs: number
}

/** A sum over several jobs. */
export interface SumRow {
  /** Atomic units. */
  readonly total: bigint
  readonly forgottenMs: number
}

/** The rows to store after a change. */
export interface EnteredRows {
  readonly kind: 'entered'
  readonly account: AccountRow
  readonly sums: ReadonlyMap<string, SumRow>
}

/** The facts about a settled job that its account needs. */
export interface Settlement {
  /** The amount that was paid, in atomic units; called only when the job has an account. */
  readonly paid: () => bigint
  /** The time at which the job's record is deleted. */
  readonly forgottenMs: number
}

const NO_ACCOUNT: AccountRow = {
  total: 0n,
  untilSettled: new Map(),
  revisions: new Map(),
  forgottenMs: 0,
}

/** The rows after an entry was written, or the reason why it was refused. Pass no expired rows. */
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
 * The rows after the job was settled: from each sum that counted the job's amounts only until then, at most the paid
 * amount is subtracted, and the account expires with the record. An amount above the payment stays in the sums.
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
