import { availableParallelism } from 'node:os'
import { RefusedOption, type BatteryFlag, type BatteryResult, type BatteryRun } from '../../battery.ts'
import { MUTANTS, recordSeeds, type Mutant } from '../mutants/mutants.ts'
import { bundleSimulator } from './bundle-simulator.ts'
import { loadSimulator } from './repeat-history.ts'
import { simulateSeeds } from './simulate-seeds.ts'

export const MUTANT_SEEDS = 20_000

export const SIMULATOR_FLAGS: { readonly [name: string]: BatteryFlag } = {
  seeds: { value: '<n>', help: 'so many histories; the first is that of --seed' },
  trace: { help: 'the history of --seed alone, with everything that happened' },
  mutants: { help: 'each deliberate break of our own code, until --seeds are used up' },
  mutant: { value: '<name>', help: 'one of them; with --trace, in that history' },
  record: { help: 'with --mutants: keeps the seeds for the test, in mutants/caught-at.json' },
}

/** Shows one history, or searches for mutants, if the flags say so; otherwise undefined. */
export async function explore(run: BatteryRun): Promise<BatteryResult | undefined> {
  const { seed, flags = {} } = run
  const chosen = flags['mutant']
  const mutants = MUTANTS.filter(({ name }) => name === (chosen ?? name))
  if (mutants.length === 0) throw new RefusedOption(`no mutant is called ${chosen}`)
  if (flags['trace'] !== undefined) {
    const simulate = await loadSimulator(await bundleSimulator(chosen === undefined ? [] : mutants))
    const { violations, trace } = await simulate(seed, true)
    process.stdout.write(trace.map(line => `${line}\n`).join(''))
    const findings = violations.map(({ invariant, message }) => `${invariant}: ${message}`)
    return resultOf(`the history of seed ${seed}`, `${findings.length} violations`, findings)
  }
  if (flags['mutants'] === undefined && chosen === undefined) return undefined
  const count = Number(flags['seeds'] ?? MUTANT_SEEDS)
  const caughtAt = await huntMutants(mutants, run, line => void process.stdout.write(line), count)
  if (flags['record'] !== undefined) await recordSeeds(caughtAt)
  const survivors = mutants.filter(({ name }) => !caughtAt.has(name)).map(({ name }) => `${name} survives`)
  return resultOf(`${mutants.length} deliberate breaks of our own code`, `${caughtAt.size} caught`, survivors)
}

/**
 * Searches for each mutant in the given number of histories. Resolves to the seeds that detected one, by its name;
 * `tell` is called with a line about each when it is done.
 */
export async function huntMutants(
  mutants: readonly Mutant[],
  { seed, signal }: BatteryRun,
  tell: (line: string) => void,
  count = MUTANT_SEEDS,
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

function resultOf(test: string, reached: string, findings: readonly string[]): BatteryResult {
  return { scores: [{ test, reached, target: 'no finding', isMet: findings.length === 0 }], findings }
}
