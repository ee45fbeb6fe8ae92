import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import type { Work } from './spending-agent.ts'

const RECIPIENT = TEST_KEYS.thirdAgent.address

/** The ways in which a greedy handler treats its spends, which it starts concurrently. */
export const GREEDY_WAYS = ['needs all', 'takes what it gets', 'waits for none'] as const
export type GreedyWay = (typeof GREEDY_WAYS)[number]

/** A job of the greedy handler, sent as its only input field. */
export interface GreedyPlan {
  readonly way: GreedyWay
  /** Decimal amounts, one per spend. */
  readonly amounts: readonly string[]
}

/** Makes the planned spends, the same in each run of the job; the output has the hashes of the resolved spends. */
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
