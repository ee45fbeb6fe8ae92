import { buildWorld } from '../build-world.ts'
import { NO_SPENDS } from '../chain/spends.ts'
import { planTargetedFault, targetSpends } from '../faults/targeted-fault.ts'
import { planFaults } from '../faults/fault-plan.ts'
import { scheduleFaults } from '../faults/schedule-faults.ts'
import { checkHistory } from '../invariants/check-history.ts'
import type { Violation } from '../invariants/verdict.ts'
import { createRandom } from '../seeded-random.ts'
import { enterWorld } from '../stand-ins/current-world.ts'
import { NOBODY, PRICE_ATOMIC, type Cast } from '../workload/cast.ts'
import { changePermissions, permitAtStart, SPENDING_MONEY } from '../workload/permissions.ts'
import { planWorkload, type WorkloadPlan } from '../workload/plan-workload.ts'
import { shapesOf } from './happenings.ts'
import { bringToAnEnd, liveThrough } from './bring-to-an-end.ts'
import { countHistory, type HistoryCounts } from './count-history.ts'
import { probeEverything } from './probe-everything.ts'
import type { Stage } from './stage.ts'
import { startErrands, startParties } from './start-parties.ts'

/** How a history is run. */
export interface HistoryOptions {
  readonly isTraced?: boolean
  /** Kinds of faults, errands and mischief that are left out; `targeted` too. */
  readonly without?: ReadonlySet<string>
}

/** What came of it. */
export interface HistoryResult {
  readonly seed: number
  readonly violations: readonly Violation[]
  readonly counts: HistoryCounts
  /** In order; empty unless traced. */
  readonly trace: readonly string[]
}

/** The simulator: give it a seed, and it runs that history. One at a time. */
export type Simulator = (seed: number, options?: HistoryOptions) => Promise<HistoryResult>

/** Runs the history of a seed, from the first errand until nothing can happen any more, and judges it. */
export async function runHistory(
  stage: Stage,
  seed: number,
  { isTraced = false, without = new Set() }: HistoryOptions = {},
): Promise<HistoryResult> {
  const random = createRandom(seed)
  const drawn = without.has('targeted') ? undefined : planTargetedFault(random.fork('ambush'))
  const plan = planWorkload(random.fork('workload'), {
    isSiege: drawn !== undefined,
    isRegretful: drawn?.mishap === 'sees blocks replaced',
    isForgetful: drawn?.mishap === 'sees the ledger fall back',
    without,
  })
  const targeted = plan.spends ? targetSpends(random.fork('spends are struck'), drawn) : drawn
  const world = buildWorld({
    random,
    crypto: stage.crypto,
    network: stage.network,
    hasher: stage.hasher,
    plan: planFaults(random.fork('fault plan'), plan.lengthMs, targeted, without),
    balances: balancesOf(stage.cast, plan),
    spends: plan.spends ? permitAtStart(random.fork('permissions'), stage, plan.agents) : NO_SPENDS,
    isTraced,
  })
  for (const shape of shapesOf(plan)) world.wires.faults.happened(shape)
  const parties = await startParties(world, stage, plan)
  const errands = startErrands(world, stage, plan, parties)
  if (plan.spends) changePermissions(world, stage, plan)
  const course = { world, plan, parties, errands, scheduled: scheduleFaults(world, parties) }
  await liveThrough(course)
  await bringToAnEnd(course)
  const violations = await checkHistory({
    world,
    parties,
    unresolved: (await Promise.all(parties.agents.map(agent => agent.store.inner.unresolved()))).flat(),
    probes: await probeEverything(world, parties.agents),
  })
  const counts = await countHistory(world, parties)
  world.wires.time.end()
  enterWorld(undefined)
  return { seed, violations, counts, trace: world.wires.trace.lines() }
}

function balancesOf({ payers }: Cast, { affordable, spends }: WorkloadPlan): ReadonlyMap<string, bigint> {
  const funded = affordable.map(
    (jobs, index) =>
      [
        payers[index]?.address ?? NOBODY,
        BigInt(jobs) * PRICE_ATOMIC + (spends ? SPENDING_MONEY : 0n),
      ] as const,
  )
  return new Map([...funded, [NOBODY, 1_000_000_000n]])
}
