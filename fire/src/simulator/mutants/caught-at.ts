import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/** As deep in `src` as in `dist`: the file is in `src` in any case. */
const FILE = fileURLToPath(new URL('../../../src/simulator/mutants/caught-at.json', import.meta.url))

/**
 * The first seed whose history each mutant breaks, by its name, as it was last looked for. A change to the sources or
 * to the simulator may move them: `npm run fire -- simulator --mutants --record` looks again.
 */
export async function readSeeds(): Promise<ReadonlyMap<string, number>> {
  return new Map(
    Object.entries(JSON.parse(await readFile(FILE, 'utf8')) as { readonly [name: string]: number }),
  )
}

/** Writes down where mutants were caught; of the others what is known stays. */
export async function recordSeeds(caughtAt: ReadonlyMap<string, number>): Promise<void> {
  const seeds = new Map([...(await readSeeds()), ...caughtAt])
  await writeFile(FILE, `${JSON.stringify(Object.fromEntries(seeds), null, 2)}\n`)
}
