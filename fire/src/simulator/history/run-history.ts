import { buildWorld } from '../build-world.ts'
import { NO_SPENDS } from '../chain/token.ts'
import { planTargetedFault, targetSpends } from '../faults/targeted-fault.ts'
import { planFaults } from '../faults/fault-plan.ts'
import { scheduleFaults } from '../faults/schedule-faults.ts'
import { checkHistory } from '../invariants/check-history.ts'
import { gatherEvidence, type Violation } from '../invariants/verdict.ts'
import { createRandom } from '../seeded-random.ts'
import { enterWorld } from '../stand-ins/current-world.ts'
import { NOBODY, PRICE_ATOMIC, type Cast } from '../workload/cast.ts'
import { changePermissions, permitAtStart, SPENDING_MONEY } from '../workload/permissions.ts'
import { planWorkload, type WorkloadPlan } from '../workload/plan-workload.ts'
import { shapesOf } from './happenings.ts'
import { bringToAnEnd, liveThrough } from './bring-to-an-end.ts'
import { countHistory, type HistoryCounts } from './count-history.ts'
import type { Stage } from './stage.ts'
import { startParties } from './start-parties.ts'
import { startErrands } from '../workload/start-errands.ts'

export interface HistoryResult {
  readonly seed: number
  readonly violations: readonly Violation[]
  readonly counts: HistoryCounts
  /** In order; empty unless traced. */
  readonly trace: readonly string[]
}

/** The simulator: it runs the history of a given seed. One at a time. */
export type Simulator = (seed: number, isTraced?: boolean) => Promise<HistoryResult>

/** Runs the history of a seed, from the first errand until no event remains, and judges it. */
export async function runHistory(stage: Stage, seed: number, isTraced = false): Promise<HistoryResult> {
  const random = createRandom(seed)
  const drawn = planTargetedFault(random.fork('ambush'))
  const plan = planWorkload(random.fork('workload'), drawn)
  const targeted = plan.spends ? targetSpends(random.fork('spends are struck'), drawn) : drawn
  const faults = planFaults(random.fork('fault plan'), plan.lengthMs, targeted)
  const start = {
    balances: balancesOf(stage.cast, plan),
    spends: plan.spends ? permitAtStart(random.fork('permissions'), stage, plan.agents) : NO_SPENDS,
  }
  const world = buildWorld(stage, random, faults, start, isTraced)
  for (const shape of shapesOf(plan)) world.wires.faults.happened(shape)
  const parties = await startParties(world, stage, plan)
  const errands = startErrands(world, stage, plan, parties.agents)
  if (plan.spends) changePermissions(world, stage, plan)
  const course = { world, plan, parties, errands, scheduled: scheduleFaults(world, parties) }
  await liveThrough(course)
  await bringToAnEnd(course)
  const evidence = await gatherEvidence(world, parties)
  world.wires.time.end()
  enterWorld(undefined)
  return {
    seed,
    violations: checkHistory(evidence),
    counts: countHistory(evidence),
    trace: world.wires.trace.lines,
  }
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
