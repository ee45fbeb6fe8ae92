import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Edit } from '../../edits/edit.ts'
import { AGENT_MUTANTS } from './agent-mutants.ts'
import { PAYMENT_MUTANTS } from './payment-mutants.ts'

/** The same depth in `src` as in `dist`: the file is in `src` in either case. */
const CAUGHT_AT = fileURLToPath(new URL('../../../src/simulator/mutants/caught-at.json', import.meta.url))

/** A deliberate fault in our own code. */
export interface Mutant {
  readonly name: string
  /** The rule that no longer holds. */
  readonly breaks: string
  /** So few histories detect it that the tests only check that it fits the sources: the full run searches for it. */
  readonly isRare?: boolean
  readonly edits: readonly Edit[]
}

/**
 * Faults in our own code, each against a promise that the simulator claims to check. A mutant that is not detected
 * shows that the promise is not checked, or that another part keeps it too.
 */
export const MUTANTS: readonly Mutant[] = Object.entries({ ...AGENT_MUTANTS, ...PAYMENT_MUTANTS }).map(
  ([name, row]) => ({ ...row, name, edits: 'edits' in row ? row.edits : [row] }),
)

/**
 * The first seed whose history detects each mutant, as last searched. A change to the sources or to the simulator may
 * shift them: `npm run fire -- simulator --mutants --record` searches again.
 */
export async function readSeeds(): Promise<ReadonlyMap<string, number>> {
  const seeds = JSON.parse(await readFile(CAUGHT_AT, 'utf8')) as { readonly [name: string]: number }
  return new Map(Object.entries(seeds))
}

/** Records where mutants were detected; earlier records of the others stay. */
export async function recordSeeds(caughtAt: ReadonlyMap<string, number>): Promise<void> {
  const seeds = new Map([...(await readSeeds()), ...caughtAt])
  await writeFile(CAUGHT_AT, `${JSON.stringify(Object.fromEntries(seeds), null, 2)}\n`)
}
