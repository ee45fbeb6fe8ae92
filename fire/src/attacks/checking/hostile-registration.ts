import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { request } from 'undici'
import type { Attack } from '../attack.ts'
import { startAttackedPrograms } from './attacked-programs.ts'
import { serveCostlyDeclaration } from './costly-declaration.ts'
import { healthScore, watchHealth } from './watch-health.ts'

/** Registers agents whose declarations are costly to compile. */
export const hostileRegistration: Attack = {
  name: 'a declaration of 4,800 patterns at a platform',
  before: 'One registration held the event loop for 10.8 s; three at once, /health p99 over 30 s.',
  async run({ size, signal }) {
    const programs = await startAttackedPrograms()
    try {
      const answers: string[] = []
      const health = await watchHealth(
        programs.platformUrl,
        async () => {
          const registrations = Array.from({ length: size === 'small' ? 1 : 3 }, async () => {
            const site = await serveCostlyDeclaration(TEST_KEYS.agent.address)
            programs.stage.onStrike(() => site.stop())
            answers.push(await register(programs.platformUrl, site.url))
          })
          await Promise.all(registrations)
        },
        signal,
      )
      return [
        healthScore(
          'registrations with a 256 KiB /about',
          health,
          `answered ${[...new Set(answers)].join(', ')}`,
        ),
      ]
    } finally {
      await programs.stop()
    }
  },
}

async function register(platformUrl: string, endpoint: string): Promise<string> {
  const { statusCode, body } = await request(`${platformUrl}/v1/registrations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ endpoint }),
    headersTimeout: 120_000,
  })
  return `${statusCode} ${(await body.text()).slice(0, 200)}`
}
