import type { GreedyPlan } from './greedy-work.ts'
import type { SpendOnChain } from '@farebox/local/src/testing/permission-storm'
import type { EndedJob } from './spending-agent.ts'

/** A job of a storm, and the answer that its caller got. */
export interface StormAnswer {
  readonly jobId: string
  readonly plan: GreedyPlan
  readonly ended: EndedJob
  /** The newest block when the answer arrived. */
  readonly block: bigint
}

/**
 * Compares an answer with the job's spends on the chain; returns the fault, or undefined when there is none. A
 * successful answer must name exactly the job's spends; a failed one must name every spend that was made by then.
 */
export function judgeAnswer(answer: StormAnswer, spends: readonly SpendOnChain[]): string | undefined {
  const { jobId, plan, ended } = answer
  const { status, text, error } = ended
  if (status === 200) {
    const named = text.split(' ').filter(word => word !== '')
    const made = spends.map(({ transaction }) => transaction)
    if (new Set(named).size !== named.length) return `${jobId} names a transaction twice`
    if (plan.way === 'needs all' && made.length !== plan.amounts.length)
      return `${jobId} is done with ${made.length} of ${plan.amounts.length} spends`
    const isExact =
      plan.way === 'waits for none' ||
      (made.length === named.length && made.every(one => named.includes(one)))
    return isExact ? undefined : `${jobId} is done with ${made.join(' ')}, and names ${text}`
  }
  if (![400, 408, 500].includes(status)) return `${jobId} was answered ${status} ${error}`
  const silent = spends.filter(
    ({ block, transaction }) => block <= answer.block && !error.includes(transaction),
  )
  if (silent.length === 0) return undefined
  return `${jobId} failed (${status} ${error}) without a word of ${silent.map(one => one.transaction).join(' ')}`
}
