import { availableParallelism } from 'node:os'
import type { Battery, BatteryResult, BatteryRun, Score } from '../battery.ts'
import { missingAmong, RARE_HAPPENINGS, unknownCalls, USUAL_HAPPENINGS } from './history/happenings.ts'
import type { HistoryCounts } from './history/count-history.ts'
import { MUTANTS } from './mutants/mutants.ts'
import { bundleSimulator } from './runner/bundle-simulator.ts'
import { explore, huntMutants, MUTANT_SEEDS, SIMULATOR_FLAGS } from './runner/explore.ts'
import { isRepeatable, loadSimulator } from './runner/repeat-history.ts'
import type { SeedRunResult } from './runner/serve-seeds.ts'
import { simulateSeeds } from './runner/simulate-seeds.ts'

/**
 * How many histories; the first has the run's seed, the others those after it. The full form takes half an hour on two cores;
 * longer searches go on from another seed.
 */
const SEEDS = { small: 300, full: 200_000 } as const
const TOLD_EVERY_MS = 1_000
/** More of them say nothing new. */
const MOST_FINDINGS = 20

/** Histories of the whole system, each judged, and our own code broken to see it judged. */
export const simulator: Battery = {
  name: 'simulator',
  flags: SIMULATOR_FLAGS,
  does: 'Histories of agents, facilitators and payers on a virtual clock, network and chain, each from a seed.',
  async run(run) {
    const explored = await explore(run)
    if (explored !== undefined) return explored
    const bundle = await bundleSimulator()
    const asked = run.flags?.['seeds']
    const count = Number(asked ?? SEEDS[run.size])
    const result = await judgeHistories(run, bundle, count)
    const isSame = run.signal.aborted || (await isRepeatable(await loadSimulator(bundle), run.seed))
    const scores = [...scoreHistories(result, count), scoreRepeat(isSame)]
    // What must happen in them is known for the two sizes alone.
    if (asked === undefined) scores.push(scoreHappenings(result.counts, run))
    if (asked === undefined && run.size === 'full') scores.push(await scoreMutants(run))
    return { scores, findings: findingsOf(result) }
  },
}

async function judgeHistories(
  { seed, signal, progress }: BatteryRun,
  simulator: string,
  count: number,
): Promise<SeedRunResult> {
  let toldMs = 0
  return await simulateSeeds({
    simulator,
    first: seed,
    count,
    workers: availableParallelism(),
    signal,
    onProgress({ done, broken }) {
      if (performance.now() - toldMs < TOLD_EVERY_MS && done < count) return
      toldMs = performance.now()
      progress({ doing: `histories, ${broken} broken`, done, of: count })
    },
  })
}

function scoreHistories({ counts, broken }: SeedRunResult, asked: number): readonly Score[] {
  const { histories: judged = 0, 'handlers run': ran = 0, 'jobs delivered': delivered = 0 } = counts
  const deaths = Object.entries(counts).filter(([what]) => what.startsWith('dies '))
  const died = deaths.reduce((sum, [, times]) => sum + times, 0)
  return [
    {
      test: `${grouped(asked)} seeded histories, each judged by I1 to I8`,
      reached: `${grouped(judged)} judged, ${grouped(broken.length)} with a violation`,
      target: 'all judged, 0',
      isMet: judged === asked && broken.length === 0,
    },
    {
      test: 'what happened in them',
      reached: `${grouped(ran)} handler runs, ${grouped(delivered)} jobs delivered, ${grouped(died)} crashes injected`,
      target: 'a job in half of them, a crash in a quarter',
      isMet: delivered >= judged / 2 && died >= judged / 4 && ran >= delivered,
    },
  ]
}

/** A fault that never came to pass has tested nothing. */
function scoreHappenings(counts: HistoryCounts, { size }: BatteryRun): Score {
  const asked = size === 'full' ? [...USUAL_HAPPENINGS, ...RARE_HAPPENINGS] : USUAL_HAPPENINGS
  const missing = [...missingAmong(asked, counts), ...unknownCalls(counts)]
  const isMet = missing.length === 0
  const reached = isMet ? 'each came to pass' : `not seen: ${missing.slice(0, 5).join(', ')}`
  const test = `${asked.length} kinds of faults, callers, set-ups and moments to crash`
  return { test, reached, target: 'each', isMet }
}

function scoreRepeat(isMet: boolean): Score {
  const reached = isMet ? 'the same history' : 'another history'
  return { test: 'one seed twice, others in between', reached, target: 'the same, to the last event', isMet }
}

async function scoreMutants(run: BatteryRun): Promise<Score> {
  let done = 0
  const tell = (): void => run.progress({ doing: 'breaking our own code', done: done++, of: MUTANTS.length })
  tell()
  const caught = await huntMutants(MUTANTS, run, tell)
  const survivors = MUTANTS.filter(({ name }) => !caught.has(name)).map(({ name }) => name)
  const test = `${MUTANTS.length} deliberate breaks of our own code, each looked for in ${grouped(MUTANT_SEEDS)} histories`
  const isMet = survivors.length === 0
  const reached = `${caught.size} caught${isMet ? '' : `, not ${survivors.join(', ')}`}`
  return { test, reached, target: 'all', isMet }
}

/** Each with the line that replays it. */
function findingsOf({ broken }: SeedRunResult): BatteryResult['findings'] {
  return broken
    .slice(0, MOST_FINDINGS)
    .flatMap(({ seed, violations }) =>
      violations.map(
        ({ invariant, message }) =>
          `${invariant}: ${message}; npm run fire -- simulator --seed ${seed} --trace`,
      ),
    )
}

function grouped(number: number): string {
  return number.toLocaleString('en-US')
}
