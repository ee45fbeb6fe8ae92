import { expect, test } from 'vitest'
import { findProgram } from './find-program.ts'
import { runAttacks } from './run-attacks.ts'
import { ATTACKS } from './table.ts'

const HANG_MS = 600_000

test.each(ATTACKS.map(attack => [attack.id, attack.title, attack.rule, attack] as const))(
  '%s %s: %s',
  { timeout: HANG_MS },
  async (id, title, _, attack) => {
    const missing = attack.needs.find(program => findProgram(program) === undefined)
    if (missing !== undefined) {
      console.log(`${id} skipped: ${missing} is not installed (${title})`)
      return
    }
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
