import { expect, test } from 'vitest'
import { HANG_MS } from './hang.ts'
import { reasonToSkip } from './find-program.ts'
import { runAttacks } from './run-attacks.ts'
import { ATTACKS } from './table.ts'

const ROWS = ATTACKS.map(attack => [attack.id, attack.title, attack.rule, attack] as const)

test.for(ROWS)('%s %s: %s', { timeout: HANG_MS }, async ([, , , attack], { skip }) => {
  const reason = reasonToSkip(attack)
  skip(reason !== undefined, reason)
  const { scores, findings } = await runAttacks([attack], {
    size: 'small',
    seed: 1,
    signal: new AbortController().signal,
    progress: () => undefined,
  })
  expect(findings).toEqual([])
  expect(scores.length).toBeGreaterThan(0)
})
