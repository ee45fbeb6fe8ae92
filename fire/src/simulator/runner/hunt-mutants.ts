import { availableParallelism } from 'node:os'
import type { BatteryRun } from '../../battery.ts'
import type { Mutant } from '../mutants/mutants.ts'
import { bundleSimulator } from './bundle-simulator.ts'
import { simulateSeeds } from './simulate-seeds.ts'

/**
 * Looks for each mutant in so many histories. Resolves to the seeds that caught one, by its name; `tell` is given a line
 * about each as it is done.
 */
export async function huntMutants(
  mutants: readonly Mutant[],
  { seed, signal }: BatteryRun,
  count: number,
  tell: (line: string) => void,
): Promise<ReadonlyMap<string, number>> {
  const caughtAt = new Map<string, number>()
  for (const mutant of mutants) {
    const simulator = await bundleSimulator([mutant])
    const run = { simulator, first: seed, count, workers: availableParallelism(), signal }
    const [caught] = (await simulateSeeds({ ...run, stopsAtViolation: true })).broken
    if (caught !== undefined) caughtAt.set(mutant.name, caught.seed)
    const verdict =
      caught === undefined ? '✗ survives' : `✓ seed ${caught.seed} ${caught.violations[0]?.invariant}`
    tell(`${mutant.name}  ${verdict}  ${mutant.breaks}\n`)
  }
  return caughtAt
}
