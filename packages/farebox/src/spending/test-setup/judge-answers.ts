import type { GreedyPlan } from './greedy-work.ts'
import type { SpendOnChain } from '@farebox/local/src/testing/permission-storm'
import type { EndedJob } from './spending-agent.ts'

/** A job of a storm, and an answer that its caller got. */
export interface StormAnswer {
  readonly jobId: string
  readonly plan: GreedyPlan
  readonly ended: EndedJob
  /** The newest block when it was heard. */
  readonly block: bigint
}

/**
 * What is wrong with an answer, going by the spends that the chain shows of its job; undefined: nothing. One that says done
 * has exactly the spends that it names; one that says failed names whatever had moved by then.
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
