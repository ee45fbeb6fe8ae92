import type { World } from '../build-world.ts'
import type { Stage } from '../history/stage.ts'
import type { AgentParty } from '../parties/agent-party.ts'
import { startErrandProcess, type Errand, type KnownJob } from './errand.ts'
import type { WorkloadPlan } from './plan-workload.ts'
import { runClientErrand } from './run-client-errand.ts'
import { runRawErrand } from './run-raw-errand.ts'

/** Starts each errand at its time; the returned count is that of unfinished errands. */
export function startErrands(
  world: World,
  stage: Stage,
  { errands }: WorkloadPlan,
  agents: readonly AgentParty[],
): { readonly left: number } {
  const known: KnownJob[] = []
  const open = { left: errands.length }
  const end = (): void => {
    open.left -= 1
  }
  for (const [index, plan] of errands.entries()) {
    const name = `errand-${index + 1}`
    const random = world.random.fork(name)
    world.wires.time.after(plan.atMs, () => {
      const { capability } = plan
      const payer = at(stage.cast.payers, plan.payer)
      const own = { payer, agent: at(agents, plan.agent), jobId: random.uuid(), capability }
      runErrand({ world, stage, plan, name, random, agents, known, own }).then(end, end)
    })
  }
  return open
}

/** Runs one errand until its caller has nothing more to do; a client that dies is resumed, others are not. */
async function runErrand(planned: Omit<Errand, 'process'>): Promise<void> {
  const { world, plan, name, own } = planned
  const errand = { ...planned, process: startErrandProcess(planned) }
  world.wires.trace.note(name, () => `${plan.kind} for ${own.agent.name}/${own.jobId} by ${own.payer.name}`)
  if (plan.kind === 'client') {
    world.wires.faults.happened('errand: client')
    await new Promise<void>(resolve => runClientErrand(errand, undefined, resolve))
    return
  }
  const died = new Promise<void>(resolve => void errand.process.onDeath(resolve))
  await Promise.race([runRawErrand(errand), died])
}

function at<T>(list: readonly T[], index: number): T {
  const one = list[index % list.length]
  if (one === undefined) throw new RangeError('an empty list')
  return one
}
