import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { applyEdits } from '../edits/edit.ts'
import { findTest, openSources } from '../edits/sources.ts'
import type { Breach } from './breaches.ts'
import { copySources } from './copy-sources.ts'
import { runTests, type RedTest } from './run-tests.ts'

/** The result of a breach. */
export interface BreachOutcome {
  readonly breach: Breach
  /** The test that detected the breach; undefined: none. */
  readonly red: RedTest | undefined
  /** The reason why no test detected it. */
  readonly reason: string
}

/** The result of all breaches. */
export interface BreachesOutcome {
  /** In the order of the breaches. */
  readonly outcomes: readonly BreachOutcome[]
  /** How many tests of the unbroken copy passed. */
  readonly sound: number
  /** Tests that fail without a breach; none of these counts as a detection. */
  readonly unsound: readonly string[]
}

/**
 * Tests each breach in a copy of the sources, two at a time. The expected tests run first without a breach: tests that
 * fail then detect nothing.
 */
export async function commitBreaches(
  breaches: readonly Breach[],
  signal: AbortSignal,
  onOutcome: (outcome: BreachOutcome) => void,
): Promise<BreachesOutcome> {
  const first = await copySources()
  const copies = [first, await copySources()]
  try {
    const tests = [...new Set(breaches.map(({ test }) => test))]
    const files = (await Promise.all(tests.map(test => findTest(test)))).sort()
    const { passed, red, unloaded } = await runTests(first, { files, toTheEnd: true }, signal)
    const redBefore = new Set(red.map(keyOf))
    const outcomes: BreachOutcome[] = []
    const waiting = breaches.entries()
    await Promise.all(
      copies.map(async folder => {
        // One shared iterator: each worker takes the next breach.
        for (const [index, breach] of waiting) {
          const outcome = await commitBreach(folder, breach, signal, redBefore)
          outcomes[index] = outcome
          onOutcome(outcome)
        }
      }),
    )
    const unsound = [...unloaded, ...red.map(test => `${keyOf(test)}: ${test.message.slice(0, 200)}`)]
    return { outcomes, sound: passed, unsound }
  } finally {
    await Promise.all(copies.map(folder => rm(folder, { recursive: true })))
  }
}

/**
 * Breaks the copy of the sources, runs the test that should detect it, and restores it. A test counts if one of its
 * expectations failed: code that does not compile fails every test and proves nothing; and a test in `redBefore`, by
 * file and name, detects nothing new. A breach whose text is not in the sources has no failing test.
 */
export async function commitBreach(
  folder: string,
  breach: Breach,
  signal: AbortSignal,
  redBefore: ReadonlySet<string> = new Set(),
): Promise<BreachOutcome> {
  const restore = new Map<string, string>()
  try {
    const sources = await openSources(folder)
    for (const [file, broken] of applyEdits(breach.name, breach.edits, sources)) {
      restore.set(join(folder, file), sources.texts.get(file) ?? '')
      await writeFile(join(folder, file), broken)
    }
    const files = [await findTest(breach.test, folder)]
    const { red, passed, unloaded } = await runTests(folder, { files, only: breach.only }, signal)
    const fresh = red.filter(test => !redBefore.has(keyOf(test)))
    const [unclear] = fresh
    const reason =
      unclear === undefined
        ? `${breach.test}: ${passed} passed, none was red`
        : `${breach.test}: "${unclear.name}" failed, but on no expectation: ${unclear.message.slice(0, 300)}`
    const loaded = unloaded[0] === undefined ? reason : `does not load: ${unloaded[0]}`
    return { breach, red: fresh.find(({ isAssertion }) => isAssertion), reason: loaded }
  } catch (error) {
    signal.throwIfAborted()
    return { breach, red: undefined, reason: error instanceof Error ? error.message : String(error) }
  } finally {
    for (const [path, source] of restore) await writeFile(path, source)
  }
}

/** The key of a test, by file and name. */
function keyOf({ file, name }: Pick<RedTest, 'file' | 'name'>): string {
  return `${file}: ${name}`
}
