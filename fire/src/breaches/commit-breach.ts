import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { applyEdits } from '../edits/edit.ts'
import { findTest, openSources } from '../edits/sources.ts'
import type { Breach } from './breach.ts'
import { runTests, type RedTest } from './run-tests.ts'

/** What became of a breach. */
export interface BreachOutcome {
  readonly breach: Breach
  /** The test that noticed; undefined: none did. */
  readonly red: RedTest | undefined
  /** Why none did, in words. */
  readonly reason: string
}

/**
 * Breaks the copy of the sources, runs the tests that should notice, and restores it. A test counts where
 * something it expects did not hold: code that does not compile any more would turn everything red and prove
 * nothing; and one that was `redBefore`, by file and name, notices nothing new. A breach whose text is not in the sources any more has no red test, and says so.
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
    for (const [file, broken] of await applyEdits(breach.name, breach.edits, sources)) {
      const path = join(folder, file)
      restore.set(path, await readFile(path, 'utf8'))
      await writeFile(path, broken)
    }
    return await lookForRed(folder, breach, signal, redBefore)
  } catch (error) {
    signal.throwIfAborted()
    return { breach, red: undefined, reason: error instanceof Error ? error.message : String(error) }
  } finally {
    for (const [path, source] of restore) await writeFile(path, source)
  }
}

async function lookForRed(
  folder: string,
  breach: Breach,
  signal: AbortSignal,
  redBefore: ReadonlySet<string>,
): Promise<BreachOutcome> {
  const reasons: string[] = []
  for (const { file, only } of breach.tests) {
    const files = [await findTest(file, folder)]
    const { red: all, passed, unloaded } = await runTests(folder, { files, only }, signal)
    const red = all.filter(test => !redBefore.has(keyOf(test)))
    const noticed = red.find(({ isAssertion }) => isAssertion)
    if (noticed !== undefined) return { breach, red: noticed, reason: '' }
    const [broken] = unloaded
    const [unclear] = red
    reasons.push(
      broken !== undefined
        ? `does not load: ${broken}`
        : unclear !== undefined
          ? `${file}: "${unclear.name}" failed, but on no expectation: ${unclear.message.slice(0, 300)}`
          : `${file}: ${passed} passed, none was red`,
    )
  }
  return { breach, red: undefined, reason: reasons.join('; ') }
}

/** A test among all tests. */
export function keyOf({ file, name }: Pick<RedTest, 'file' | 'name'>): string {
  return `${file}: ${name}`
}
