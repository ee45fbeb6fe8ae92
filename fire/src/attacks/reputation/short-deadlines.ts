import type { Attack } from '../attack.ts'
import { giveGold } from './give-gold.ts'
import { stageOrders } from './stage-orders.ts'

/** A moment that the platform lets pass and that is over when the agent hears of it. */
const DEADLINE_SECONDS = 0.06

/** Row 5: orders that nobody could keep, from wallets that are empty, against an agent with gold. */
export const shortDeadlines: Attack = {
  name: 'orders with a deadline 0.06 s ahead against a badge',
  before: 'of 100 orders from empty wallets 80 were failures on record, and gold became bronze',
  async run({ size, signal }) {
    const orders = size === 'full' ? 100 : 20
    const stage = await stageOrders()
    try {
      await giveGold(stage)
      for (let sent = 0; sent < orders && !signal.aborted; sent++) {
        const payerKey = await stage.wallet(0n)
        await stage.order({ payerKey, deadlineSeconds: DEADLINE_SECONDS })
      }
      await stage.quiet(signal)
      const { badge, failed } = await stage.badge()
      return [
        {
          test: `${orders} orders from empty wallets, each ${DEADLINE_SECONDS} s before its deadline`,
          reached: `${failed} failures on record, badge ${badge}`,
          target: '0 failures, gold',
          isMet: failed === 0 && badge === 'gold',
        },
      ]
    } finally {
      await stage.close()
    }
  },
}
