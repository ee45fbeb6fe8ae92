import { fromAtomic, toAtomic } from '../../format/amount.ts'
import type { OrderEntry } from './order-entries.ts'

/** A number of jobs and runs, and the sum of their amounts in decimal USDC. */
export interface JobsSum {
  readonly count: number
  readonly amount: string
}

/**
 * Whether an entry is of a kind. A run can be of several kinds: if it has paid for some of its steps it is paid, and it can
 * also be open or not charged because of the others.
 */
export const KINDS = {
  paid: (one: OrderEntry): boolean =>
    one.kind === 'job' ? one.outcome === 'paid' || one.outcome === 'undelivered' : one.paid !== '0',
  free: (one: OrderEntry): boolean =>
    one.kind === 'job' ? one.outcome === 'free' : ENDED.has(one.outcome) && one.outcome !== 'paid',
  open: (one: OrderEntry): boolean =>
    one.kind === 'job'
      ? one.outcome === 'running' || one.outcome === 'settling' || one.outcome === 'waiting'
      : !ENDED.has(one.outcome),
} as const

const ENDED: ReadonlySet<string> = new Set(['paid', 'failed', 'cancelled', 'refused'])

/** Sums the entries by kind. Amounts are added as whole millionths, never as floating point numbers. */
export function sumJobs(listed: readonly OrderEntry[]): {
  readonly ordered: number
  readonly paid: JobsSum
  readonly free: JobsSum
  readonly open: JobsSum
} {
  const sum = (is: (one: OrderEntry) => boolean, amountOf: (one: OrderEntry) => bigint): JobsSum => {
    const kept = listed.filter(is)
    return {
      count: kept.length,
      amount: fromAtomic(kept.reduce((total, one) => total + amountOf(one), 0n)),
    }
  }
  const rest = (one: OrderEntry): bigint =>
    one.kind === 'job' ? atomic(one.amount) : atomic(one.atMost) - atomic(one.paid)
  return {
    ordered: listed.length,
    paid: sum(KINDS.paid, one => atomic(one.kind === 'job' ? one.amount : one.paid)),
    free: sum(KINDS.free, rest),
    open: sum(KINDS.open, rest),
  }
}

function atomic(amount: string): bigint {
  return toAtomic(amount) ?? 0n
}
