import type { World } from '../build-world.ts'
import type { Stage } from '../history/stage.ts'
import type { AgentParty } from '../parties/agent-party.ts'
import { jobName } from '../records/job-records.ts'
import type { Random } from '../seeded-random.ts'
import { startProcess, type VirtualProcess } from '../time/virtual-process.ts'
import type { Payer } from './cast.ts'
import type { ErrandPlan } from './plan-workload.ts'

/** A used job_id, and its payer: others may learn of it. */
export interface KnownJob {
  readonly jobId: string
  readonly agent: AgentParty
  readonly capability: string
  readonly payer: Payer
}

/** One errand, and its context. */
export interface Errand {
  readonly world: World
  readonly stage: Stage
  readonly plan: ErrandPlan
  readonly name: string
  readonly random: Random
  readonly agents: readonly AgentParty[]
  /** Every job so far; an errand adds its own. */
  readonly known: KnownJob[]
  readonly own: KnownJob
  readonly process: VirtualProcess
}

/** Starts a process for an errand, with a clock error of this history. */
export function startErrandProcess({ world, name, random }: Omit<Errand, 'process'>): VirtualProcess {
  const { time, faults } = world.wires
  const { skew } = faults.plan.amount
  const skewMs = random.between(-skew, skew)
  if (skewMs !== 0) faults.happened('clocks of payers wrong')
  const process = startProcess(time, name, skewMs)
  world.payers.add(process)
  return process
}

/** The name of the job in the records. */
export function nameOf({ agent, jobId }: KnownJob): string {
  return jobName(`${agent.name}/${jobId}`)
}
