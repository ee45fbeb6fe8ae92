import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import type { Work } from './spending-agent.ts'

const RECIPIENT = TEST_KEYS.thirdAgent.address

/** What a greedy handler does with its spends, which it begins all at once. */
export const GREEDY_WAYS = ['needs all', 'takes what it gets', 'waits for none'] as const
export type GreedyWay = (typeof GREEDY_WAYS)[number]

/** A job of the greedy handler: in its one input field. */
export interface GreedyPlan {
  readonly way: GreedyWay
  /** Decimal, one for each spend. */
  readonly amounts: readonly string[]
}

/** Spends as its plan says, the same each time the job is run; the output names the transactions that it was given. */
export const greedyWork: Work = async ({ spend }, text) => {
  const { way, amounts } = JSON.parse(text) as GreedyPlan
  const spends = amounts.map(
    async amount => (await spend({ token: 'USDC', amount, to: RECIPIENT })).transaction,
  )
  if (way === 'needs all') return (await Promise.all(spends)).join(' ')
  const settled = Promise.allSettled(spends)
  if (way === 'waits for none') return ''
  return (await settled).flatMap(one => (one.status === 'fulfilled' ? [one.value] : [])).join(' ')
}
