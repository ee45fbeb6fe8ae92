import { startErrandProcess, type ErrandParts, type KnownJob } from './errand.ts'
import { runClientErrand } from './run-client-errand.ts'
import { runRawErrand } from './run-raw-errand.ts'

/** Runs one errand until its caller has nothing more to do; a client that dies goes on, others do not. */
export async function runErrand(parts: ErrandParts): Promise<void> {
  const { world, plan, random } = parts
  const payer = at(parts.cast.payers, plan.payer)
  const agent = at(parts.agents, plan.agent)
  const jobId = random.uuid()
  const process = startErrandProcess(parts)
  world.wires.trace.note(parts.name, () => `${plan.kind} for ${agent.name}/${jobId} by ${payer.name}`)
  const own: KnownJob = { jobId, agent, capability: plan.capability, payer }
  if (plan.kind === 'client') {
    world.wires.faults.happened('errand: client')
    await new Promise<void>(resolve => runClientErrand(parts, process, own, { end: resolve }))
    return
  }
  const died = new Promise<void>(resolve => void process.onDeath(resolve))
  await Promise.race([runRawErrand(parts, process, own), died])
}

function at<T>(list: readonly T[], index: number): T {
  const one = list[index % list.length]
  if (one === undefined) throw new RangeError('an empty list')
  return one
}
