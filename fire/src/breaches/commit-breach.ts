import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { applyEdits } from '../edits/edit.ts'
import { findTest, openSources } from '../edits/sources.ts'
import type { Breach } from './breaches.ts'
import { runTests, type RedTest } from './run-tests.ts'

/** The result of a breach. */
export interface BreachOutcome {
  readonly breach: Breach
  /** The test that noticed; undefined: none did. */
  readonly red: RedTest | undefined
  /** Why none did. */
  readonly reason: string
}

/**
 * Breaks the copy of the sources, runs the test that should notice, and restores it. A test counts where something it
 * expects did not hold: code that does not compile turns everything red and proves nothing; and one that was
 * `redBefore`, by file and name, notices nothing new. A breach whose text is not in the sources has no red test.
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
    return { breach, ...(await findRed(folder, breach, signal, redBefore)) }
  } catch (error) {
    signal.throwIfAborted()
    return { breach, red: undefined, reason: error instanceof Error ? error.message : String(error) }
  } finally {
    for (const [path, source] of restore) await writeFile(path, source)
  }
}

async function findRed(
  folder: string,
  { test, only }: Breach,
  signal: AbortSignal,
  redBefore: ReadonlySet<string>,
): Promise<Omit<BreachOutcome, 'breach'>> {
  const files = [await findTest(test, folder)]
  const { red: all, passed, unloaded } = await runTests(folder, { files, only }, signal)
  const red = all.filter(one => !redBefore.has(keyOf(one)))
  const noticed = red.find(({ isAssertion }) => isAssertion)
  if (noticed !== undefined) return { red: noticed, reason: '' }
  const [unclear] = red
  const reason =
    unloaded[0] !== undefined
      ? `does not load: ${unloaded[0]}`
      : unclear !== undefined
        ? `${test}: "${unclear.name}" failed, but on no expectation: ${unclear.message.slice(0, 300)}`
        : `${test}: ${passed} passed, none was red`
  return { red: undefined, reason }
}

/** A test among all tests. */
export function keyOf({ file, name }: Pick<RedTest, 'file' | 'name'>): string {
  return `${file}: ${name}`
}
