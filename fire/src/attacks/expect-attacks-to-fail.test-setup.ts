import { expect, test } from 'vitest'
import type { Attack } from './attack.ts'
import { runAttacks } from './run-attacks.ts'

/** Makes a test of the small form of each attack. */
export function expectAttacksToFail(attacks: readonly Attack[]): void {
  test.each(attacks.map(attack => [attack.name, attack] as const))(
    'the attack fails: %s',
    { timeout: 240_000 },
    async (_, attack) => {
      const { scores, findings } = await runAttacks([attack], {
        size: 'small',
        seed: 1,
        signal: new AbortController().signal,
        progress: () => undefined,
      })
      expect(findings).toEqual([])
      expect(scores.length).toBeGreaterThan(0)
    },
  )
}
