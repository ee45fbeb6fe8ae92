import { defineAgent } from 'farebox'
import { formatUsdc } from '@farebox/protocol/money/usdc'

/** The price of each lap in atomic units. Each is within 90 % of the one before, except the last. */
export const LAP_PRICES = [10_000n, 6_000n, 3_600n, 2_160n, 1_300n, 1_250n] as const

/** Declares an agent of the ring: for a job on one lap, it hires the next agent on the following lap. */
export function ringDeclaration(name: string) {
  return defineAgent({
    service_version: '1.0',
    name,
    description: 'Hires the next agent of a ring.',
    wallet: '${AGENT_WALLET_ADDRESS}',
    max_deadline_seconds: 300,
    capabilities: Object.fromEntries(
      LAP_PRICES.map((price, lap) => [
        `lap${lap}`,
        {
          description: `Lap ${lap}.`,
          pricing: { model: 'per_job', amount: formatUsdc(price), currency: 'USDC' },
          input_schema: {},
          output_schema: { hires: { type: 'integer' }, end: { type: 'string' } },
        },
      ]),
    ),
  })
}
