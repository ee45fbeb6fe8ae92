import { availableParallelism } from 'node:os'
import type { BatteryFlag, BatteryResult, BatteryRun } from '../../battery.ts'
import { recordSeeds } from '../mutants/caught-at.ts'
import type { Mutant } from '../mutants/mutant.ts'
import { MUTANTS } from '../mutants/mutants.ts'
import { bundleSimulator } from './bundle-simulator.ts'
import { huntMutants } from './hunt-mutants.ts'
import { loadSimulator } from './repeat-history.ts'
import { showHistory } from './show-history.ts'

/** In how many histories a mutant is looked for. */
const MUTANT_SEEDS = 20_000

/** Flags of the simulator. */
export const SIMULATOR_FLAGS: { readonly [name: string]: BatteryFlag } = {
  seeds: { value: '<n>', help: 'so many histories; the first is that of --seed' },
  trace: { help: 'the history of --seed alone, with everything that happened' },
  shrink: { help: 'the history of --seed alone, without what is not needed to break it' },
  without: { value: '<a,b>', help: 'with --trace: kinds of faults and errands left out' },
  mutants: { help: 'each deliberate break of our own code, until --seeds are used up' },
  mutant: { value: '<name>', help: 'one of them; with --trace, in that history' },
  record: { help: 'with --mutants: keeps the seeds for the test, in mutants/caught-at.json' },
}

/** Shows one history, or looks for mutants, where the flags say so; undefined where they do not. */
export async function explore({ seed, signal, flags = {} }: BatteryRun): Promise<BatteryResult | undefined> {
  const isOne = flags['trace'] !== undefined || flags['shrink'] !== undefined
  const mutants = flags['mutant'] === undefined ? MUTANTS : chooseMutant(flags['mutant'])
  if (isOne) {
    const simulate = await loadSimulator(await bundleSimulator(flags['mutant'] === undefined ? [] : mutants))
    const violations = await showHistory(simulate, seed, {
      without: new Set(flags['without']?.split(',')),
      isTraced: flags['trace'] !== undefined,
      shrinks: flags['shrink'] !== undefined,
    })
    return resultOf(`the history of seed ${seed}`, `${violations.length} violations`, violations)
  }
  if (flags['mutants'] === undefined && flags['mutant'] === undefined) return undefined
  const range = {
    first: seed,
    count: Number(flags['seeds'] ?? MUTANT_SEEDS),
    workers: availableParallelism(),
    signal,
  }
  const caughtAt = await huntMutants(mutants, range)
  if (flags['record'] !== undefined) await recordSeeds(caughtAt)
  const survivors = mutants.filter(({ name }) => !caughtAt.has(name)).map(({ name }) => `${name} survives`)
  return resultOf(`${mutants.length} deliberate breaks of our own code`, `${caughtAt.size} caught`, survivors)
}

function resultOf(test: string, reached: string, findings: readonly string[]): BatteryResult {
  return { scores: [{ test, reached, target: 'no finding', isMet: findings.length === 0 }], findings }
}

function chooseMutant(name: string): readonly Mutant[] {
  const chosen = MUTANTS.filter(mutant => mutant.name === name)
  if (chosen.length === 0) throw new TypeError(`no mutant is called ${name}`)
  return chosen
}
