import type { Attack } from '../attack.ts'
import { giveGold } from './give-gold.ts'
import { MAX_DEADLINE_SECONDS, PRICE_ATOMIC, stageOrders } from './stage-orders.ts'

/** Row 5: honest callers order while the facilitator is away; the agent can only say that it could not verify. */
export const facilitatorOutage: Attack = {
  name: 'an outage of the facilitator against a badge',
  before: '40 honest orders during an outage were 40 failures on record, and gold became silver',
  async run({ size, signal }) {
    const orders = size === 'full' ? 40 : 12
    const stage = await stageOrders()
    try {
      await giveGold(stage)
      const payers = await Promise.all(Array.from({ length: orders }, () => stage.wallet(PRICE_ATOMIC)))
      await stage.facilitator.close()
      const statuses: number[] = []
      for (const payerKey of payers)
        statuses.push((await stage.order({ payerKey, deadlineSeconds: MAX_DEADLINE_SECONDS })).status)
      await stage.quiet(signal)
      const { badge, failed } = await stage.badge()
      const taken = statuses.filter(status => status < 300).length
      return [
        {
          test: `${orders} orders of payers who can pay, while the facilitator is away`,
          reached: `${taken} taken, ${failed} failures on record, badge ${badge}`,
          target: `${orders} taken, 0 failures, gold`,
          isMet: taken === orders && failed === 0 && badge === 'gold',
        },
      ]
    } finally {
      await stage.close()
    }
  },
}
