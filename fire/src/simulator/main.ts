import { availableParallelism } from 'node:os'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { recordSeeds } from './mutants/caught-at.ts'
import type { Mutant } from './mutants/mutant.ts'
import { MUTANTS } from './mutants/mutants.ts'
import { bundleSimulator } from './runner/bundle-simulator.ts'
import { huntMutants } from './runner/hunt-mutants.ts'
import { showHistory } from './runner/show-history.ts'
import { formatCounts, showProgress } from './runner/show-progress.ts'
import { simulateSeeds } from './runner/simulate-seeds.ts'
import type { createSimulator } from './simulator.ts'

const HELP = `Runs seeded histories of the whole system and judges each.

  --seeds <n>        how many histories (20000)
  --from <seed>      the first one (1)
  --workers <n>      threads (one a core)
  --seed <seed>      one history alone, and what it breaks; with --trace, everything that happened
  --shrink           with --seed: leaves out whatever is not needed to break it
  --without <a,b>    with --seed: kinds of faults and errands left out
  --mutants          looks for each deliberate break of our own code, until --seeds are used up
  --mutant <name>    one of them: alone, or with --seed
  --record           with --mutants: notes the seeds for the test, in mutants/caught-at.json
`

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '20000' },
    from: { type: 'string', default: '1' },
    workers: { type: 'string', default: String(availableParallelism()) },
    seed: { type: 'string' },
    trace: { type: 'boolean', default: false },
    shrink: { type: 'boolean', default: false },
    without: { type: 'string', default: '' },
    mutants: { type: 'boolean', default: false },
    mutant: { type: 'string' },
    record: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const range = { first: Number(values.from), count: Number(values.seeds), workers: Number(values.workers) }

if (values.help) process.stdout.write(HELP)
else if (values.seed !== undefined) process.exitCode = await runOne(Number(values.seed))
else if (values.mutants || values.mutant !== undefined) process.exitCode = await hunt()
else process.exitCode = await runMany()

function chosenMutants(): readonly Mutant[] {
  const { mutant: name } = values
  if (name === undefined) return MUTANTS
  const chosen = MUTANTS.filter(mutant => mutant.name === name)
  if (chosen.length === 0) throw new RangeError(`no mutant is called ${name}`)
  return chosen
}

async function hunt(): Promise<number> {
  const mutants = chosenMutants()
  const caughtAt = await huntMutants(mutants, range)
  if (values.record) await recordSeeds(caughtAt)
  return caughtAt.size === mutants.length ? 0 : 1
}

async function runOne(seed: number): Promise<number> {
  const bundle = await bundleSimulator(values.mutant === undefined ? [] : chosenMutants())
  const module = (await import(pathToFileURL(bundle).href)) as { createSimulator: typeof createSimulator }
  const without = new Set(values.without.split(',').filter(kind => kind !== ''))
  return await showHistory(await module.createSimulator(), seed, {
    without,
    isTraced: values.trace,
    shrinks: values.shrink,
  })
}

async function runMany(): Promise<number> {
  const simulator = await bundleSimulator()
  const startedMs = performance.now()
  const { counts, broken } = await simulateSeeds({
    simulator,
    ...range,
    onProgress: progress => showProgress(progress, range.count, startedMs),
  })
  process.stderr.write('\n')
  process.stdout.write(formatCounts(counts, performance.now() - startedMs))
  for (const { seed, violations } of broken) {
    for (const { invariant, message } of violations)
      process.stdout.write(`✗ seed ${seed}  ${invariant}  ${message}\n`)
  }
  if (broken.length > 0) process.stdout.write(`\nreplay: --seed ${broken[0]?.seed} --trace\n`)
  return broken.length === 0 ? 0 : 1
}
