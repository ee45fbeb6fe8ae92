import { fromAtomic, toAtomic } from '../../format/amount.ts'
import type { ListedJob } from './use-jobs.ts'

/** How many jobs, and what they come to; decimal USDC. */
export interface JobsSum {
  readonly count: number
  readonly amount: string
}

/** Sums of jobs by their outcome. Amounts are added as whole millionths, never as floats. */
export function sumJobs(jobs: readonly ListedJob[]): {
  readonly ordered: number
  readonly paid: JobsSum
  readonly free: JobsSum
  readonly open: JobsSum
} {
  const sum = (kept: readonly ListedJob[]): JobsSum => ({
    count: kept.length,
    amount: fromAtomic(kept.reduce((total, { amount }) => total + (toAtomic(amount) ?? 0n), 0n)),
  })
  const isPaid = ({ outcome }: ListedJob): boolean => outcome === 'paid' || outcome === 'undelivered'
  const isFree = ({ outcome }: ListedJob): boolean => outcome === 'free'
  return {
    ordered: jobs.length,
    paid: sum(jobs.filter(isPaid)),
    free: sum(jobs.filter(isFree)),
    open: sum(jobs.filter(job => !isPaid(job) && !isFree(job))),
  }
}
