import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Edit } from '../../edits/edit.ts'
import { AGENT_MUTANTS } from './agent-mutants.ts'
import { PAYMENT_MUTANTS } from './payment-mutants.ts'

/** As deep in `src` as in `dist`: the file is in `src` in any case. */
const CAUGHT_AT = fileURLToPath(new URL('../../../src/simulator/mutants/caught-at.json', import.meta.url))

/** A deliberate break of our own code. */
export interface Mutant {
  readonly name: string
  /** What it is that no longer holds. */
  readonly breaks: string
  /** So few histories notice it that the tests only fit it to the sources: it is hunted in the full run. */
  readonly isRare?: boolean
  readonly edits: readonly Edit[]
}

/**
 * Breaks of our own code, each of a promise the simulator claims to watch over. One that it does not notice
 * says that the promise is not watched, or that something else keeps it too.
 */
export const MUTANTS: readonly Mutant[] = Object.entries({ ...AGENT_MUTANTS, ...PAYMENT_MUTANTS }).map(
  ([name, row]) => ({ ...row, name, edits: 'edits' in row ? row.edits : [row] }),
)

/**
 * The first seed whose history each mutant breaks, as it was last looked for. A change to the sources or to the simulator
 * may move them: `npm run fire -- simulator --mutants --record` looks again.
 */
export async function readSeeds(): Promise<ReadonlyMap<string, number>> {
  const seeds = JSON.parse(await readFile(CAUGHT_AT, 'utf8')) as { readonly [name: string]: number }
  return new Map(Object.entries(seeds))
}

/** Writes down where mutants were caught; of the others what is known stays. */
export async function recordSeeds(caughtAt: ReadonlyMap<string, number>): Promise<void> {
  const seeds = new Map([...(await readSeeds()), ...caughtAt])
  await writeFile(CAUGHT_AT, `${JSON.stringify(Object.fromEntries(seeds), null, 2)}\n`)
}
