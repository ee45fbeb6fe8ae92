import { findTest } from '../edits/sources.ts'
import type { Breach } from './breaches.ts'
import { commitBreach, keyOf, type BreachOutcome } from './commit-breach.ts'
import { copySources } from './copy-sources.ts'
import { runTests } from './run-tests.ts'

/** The result of all breaches. */
export interface BreachesOutcome {
  /** In the order of the breaches. */
  readonly outcomes: readonly BreachOutcome[]
  /** How many tests of the unbroken copy passed. */
  readonly sound: number
  /** What is red although nothing is broken; none of these counts as noticing anything. */
  readonly unsound: readonly string[]
}

/** Copies that are broken side by side. */
const COPIES = 2

/**
 * Commits each breach in a copy of the sources, two side by side. The tests that they should turn red are run before,
 * with nothing broken: what is red then notices nothing.
 */
export async function commitBreaches(
  breaches: readonly Breach[],
  signal: AbortSignal,
  onOutcome: (outcome: BreachOutcome) => void,
): Promise<BreachesOutcome> {
  const first = await copySources()
  const copies = [first, ...(await Promise.all(Array.from({ length: COPIES - 1 }, copySources)))]
  try {
    const tests = [...new Set(breaches.map(({ test }) => test))]
    const files = (await Promise.all(tests.map(test => findTest(test)))).sort()
    const { passed, red, unloaded } = await runTests(first.folder, { files, toTheEnd: true }, signal)
    const redBefore = new Set(red.map(keyOf))
    const outcomes: BreachOutcome[] = []
    const waiting = breaches.entries()
    await Promise.all(
      copies.map(async ({ folder }) => {
        // One iterator for all: each takes the next that nobody took.
        for (const [index, breach] of waiting) {
          outcomes[index] = await commitBreach(folder, breach, signal, redBefore)
          onOutcome(outcomes[index])
        }
      }),
    )
    const unsound = [...unloaded, ...red.map(test => `${keyOf(test)}: ${test.message.slice(0, 200)}`)]
    return { outcomes, sound: passed, unsound }
  } finally {
    await Promise.all(copies.map(copy => copy.remove()))
  }
}
