import type { Mutant } from '../mutants/mutant.ts'
import { bundleSimulator } from './bundle-simulator.ts'
import { simulateSeeds } from './simulate-seeds.ts'

/** Where is looked. */
export interface HuntRange {
  readonly first: number
  readonly count: number
  readonly workers: number
  readonly signal?: AbortSignal
}

/** Looks for each mutant, tells the seed that caught it, a line each, and resolves to these seeds by name: survivors have none. */
export async function huntMutants(
  mutants: readonly Mutant[],
  range: HuntRange,
  tell: (line: string) => void = line => void process.stdout.write(line),
): Promise<ReadonlyMap<string, number>> {
  const width = Math.max(...mutants.map(({ name }) => name.length))
  const caughtAt = new Map<string, number>()
  for (const mutant of mutants) {
    const simulator = await bundleSimulator([mutant])
    const { broken } = await simulateSeeds({ simulator, ...range, stopsAtViolation: true })
    const [caught] = broken
    if (caught !== undefined) caughtAt.set(mutant.name, caught.seed)
    const verdict =
      caught === undefined
        ? `✗ survives ${range.count} seeds`
        : `✓ seed ${String(caught.seed).padStart(5)}  ${caught.violations[0]?.invariant.padEnd(7)}`
    tell(`${mutant.name.padEnd(width)}  ${verdict}  ${mutant.breaks}\n`)
  }
  return caughtAt
}
