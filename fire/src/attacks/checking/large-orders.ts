import type { Attack } from '../attack.ts'
import { signLargeOrder, startAttackedPrograms } from './attacked-programs.ts'
import { healthScore, watchHealth } from './watch-health.ts'
import { sendOrder } from '../../../../e2e/stage/order.ts'

/** Orders jobs whose large inputs are costly to match against a listed agent's pattern. */
export const largeOrders: Attack = {
  name: 'orders of 1 MB for a pattern at a platform',
  before: 'Three orders: no /health for more than 120 s.',
  async run({ size, signal }) {
    const programs = await startAttackedPrograms()
    try {
      const rounds = size === 'small' ? 1 : 4
      const orders = await Promise.all(Array.from({ length: rounds * 3 }, () => signLargeOrder(programs)))
      const answers = new Set<string>()
      const health = await watchHealth(
        programs.platformUrl,
        async () => {
          for (let round = 0; round < rounds; round += 1) {
            const three = orders.slice(round * 3, round * 3 + 3)
            await Promise.all(
              three.map(async order => {
                const answer = await sendOrder(programs.platformUrl, order)
                answers.add(`${answer.status} ${(await answer.text()).slice(0, 200)}`)
              }),
            )
          }
        },
        signal,
      )
      return [
        healthScore(`${orders.length} orders, three at once`, health, `answered ${[...answers].join(', ')}`),
      ]
    } finally {
      await programs.stop()
    }
  },
}
