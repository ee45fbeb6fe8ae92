import type { Attack } from '../attack.ts'
import { jobBody, post } from '../../../../e2e/stage/pay.ts'
import { signLargeOrder, startAttackedPrograms } from './attacked-programs.ts'
import { healthScore, watchHealth } from './watch-health.ts'

/** Sends an agent inputs that are costly to match against its own pattern; refused ones cost their payer nothing. */
export const largeInputs: Attack = {
  name: 'inputs of 1 MB for a pattern at an agent',
  before: 'Three inputs: no /health for more than 30 s, and every other job missed its deadline.',
  async run({ size, signal }) {
    const programs = await startAttackedPrograms()
    try {
      const { endpoint } = programs.agent
      const rounds = size === 'small' ? 1 : 4
      const orders = await Promise.all(Array.from({ length: rounds * 3 }, () => signLargeOrder(programs)))
      const answers = new Set<string>()
      const health = await watchHealth(
        endpoint,
        async () => {
          for (let round = 0; round < rounds; round += 1) {
            const three = orders.slice(round * 3, round * 3 + 3)
            await Promise.all(
              three.map(async ({ job_id, input, payment }) => {
                const answer = await post(endpoint, jobBody(job_id, input, { capability: 'match' }), payment)
                answers.add(`${answer.status} ${answer.body.slice(0, 200)}`)
              }),
            )
          }
        },
        signal,
      )
      return [
        healthScore(`${orders.length} jobs, three at once`, health, `answered ${[...answers].join(', ')}`),
      ]
    } finally {
      await programs.stop()
    }
  },
}
