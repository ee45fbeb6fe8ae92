import type { Breach } from './breach.ts'
import { commitBreach, keyOf, type BreachOutcome } from './commit-breach.ts'
import { findTest } from '../edits/sources.ts'
import { copySources, type SourcesCopy } from './copy-sources.ts'
import { runTests } from './run-tests.ts'

/** How all breaches went. */
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
 * Commits each breach in a copy of the sources, several side by side. The tests they are to turn red are run before,
 * with nothing broken: what is red then notices nothing.
 */
export async function commitBreaches(
  breaches: readonly Breach[],
  signal: AbortSignal,
  onOutcome: (outcome: BreachOutcome) => void = () => undefined,
): Promise<BreachesOutcome> {
  const copies = await Promise.all(Array.from({ length: Math.min(COPIES, breaches.length) }, copySources))
  try {
    const tests = [...new Set(breaches.flatMap(breach => breach.tests.map(({ file }) => file)))]
    const files = (await Promise.all(tests.map(test => findTest(test)))).sort()
    const [first] = copies
    if (first === undefined) return { outcomes: [], sound: 0, unsound: [] }
    const { passed, red, unloaded } = await runTests(first.folder, { files, toTheEnd: true }, signal)
    const unsound = [...unloaded, ...red.map(test => `${keyOf(test)}: ${test.message.slice(0, 200)}`)]
    const commit = (folder: string, breach: Breach): Promise<BreachOutcome> =>
      commitBreach(folder, breach, signal, new Set(red.map(keyOf)))
    const outcomes = await commitAll(copies, breaches, commit, onOutcome)
    return { outcomes, sound: passed, unsound }
  } finally {
    await Promise.all(copies.map(copy => copy.remove()))
  }
}

async function commitAll(
  copies: readonly SourcesCopy[],
  breaches: readonly Breach[],
  commit: (folder: string, breach: Breach) => Promise<BreachOutcome>,
  onOutcome: (outcome: BreachOutcome) => void,
): Promise<readonly BreachOutcome[]> {
  const outcomes: BreachOutcome[] = []
  const waiting = breaches.entries()
  await Promise.all(
    copies.map(async ({ folder }) => {
      // One iterator for all: each takes the next that nobody took.
      for (const [index, breach] of waiting) {
        const outcome = await commit(folder, breach)
        outcomes[index] = outcome
        onOutcome(outcome)
      }
    }),
  )
  return outcomes
}
