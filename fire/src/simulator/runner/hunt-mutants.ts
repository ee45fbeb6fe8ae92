import type { Mutant } from '../mutants/mutant.ts'
import { bundleSimulator } from './bundle-simulator.ts'
import { simulateSeeds } from './simulate-seeds.ts'

/** Where is looked. */
export interface HuntRange {
  readonly first: number
  readonly count: number
  readonly workers: number
}

/** Looks for each mutant and shows the seed that caught it; resolves to the exit code: 1 where one survives. */
export async function huntMutants(
  mutants: readonly Mutant[],
  amendments: readonly Mutant[],
  range: HuntRange,
): Promise<number> {
  const width = Math.max(...mutants.map(({ name }) => name.length))
  let survivors = 0
  for (const mutant of mutants) {
    const simulator = await bundleSimulator([...amendments, mutant])
    const { broken } = await simulateSeeds({ simulator, ...range, stopsAtViolation: true })
    const [caught] = broken
    if (caught === undefined) survivors += 1
    const seeds = caught && caught.seed - range.first + 1
    const verdict =
      caught === undefined
        ? `✗ survives ${range.count} seeds`
        : `✓ ${String(seeds).padStart(5)} seeds  ${caught.violations[0]?.invariant.padEnd(7)}`
    process.stdout.write(`${mutant.name.padEnd(width)}  ${verdict}  ${mutant.breaks}\n`)
  }
  return survivors === 0 ? 0 : 1
}
