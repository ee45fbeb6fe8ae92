import type { AgentAnswer } from '../parties/agent-party.ts'
import { withTimeout } from '../time/virtual-process.ts'
import type { Errand, KnownJob } from './errand.ts'
import { meddle } from './meddle.ts'
import type { ErrandKind } from './plan-workload.ts'
import { sendToAgent } from './send-to-agent.ts'
import { signForJob, type Signing } from './sign-for-job.ts'

/** The interference with another payer's job. */
const NEEDS_VICTIM: ReadonlySet<ErrandKind> = new Set(['re-sign', 'impostor', 'forger'])

/** Acts like programs other than our client: honest, hasty or malicious ones. */
export async function runRawErrand(errand: Errand): Promise<void> {
  const { plan, random, known, own, world } = errand
  const victim = known.length === 0 ? own : random.pick(known)
  if (known.length === 0 && NEEDS_VICTIM.has(plan.kind)) return
  world.wires.faults.happened(`errand: ${plan.kind}`)
  if (plan.kind === 'meddler')
    return await meddle(errand, await signForJob(errand, own.payer, own, { isBound: false }))
  if (plan.kind !== 'raw') {
    const calls = await signCalls(errand, victim)
    await Promise.all(calls.map(({ job, header, isForged }) => send(errand, job, header, isForged)))
    return
  }
  known.push(own)
  await payUntilTaken(errand)
}

interface SignedCall {
  readonly job: KnownJob
  readonly header?: string
  readonly isForged?: boolean
}

/** Signs all payments of this errand at once. */
async function signCalls(errand: Errand, victim: KnownJob): Promise<readonly SignedCall[]> {
  const { plan, random, known, own, agents, stage } = errand
  const signed = async (job: KnownJob, by = own.payer, signing?: Signing): Promise<SignedCall> => {
    const { header } = await signForJob(errand, by, job, signing)
    return { job, header, isForged: signing?.claimsToBe !== undefined }
  }
  switch (plan.kind) {
    case 'replay': {
      const { header = '' } = await signed(own)
      const jobs = times(1 + plan.copies, index => ({
        ...own,
        jobId: index === 0 ? own.jobId : random.uuid(),
        agent: random.chance(0.4) ? random.pick(agents) : own.agent,
        capability: random.chance(0.3) ? 'twin' : own.capability,
      }))
      known.push(...jobs)
      return jobs.map(job => ({ job, header }))
    }
    case 're-sign':
    case 'impostor': {
      const by = plan.kind === 're-sign' ? victim.payer : own.payer
      return await Promise.all(times(Math.min(2, plan.copies), () => signed(victim, by)))
    }
    case 'forger': {
      const forger = stage.cast.payers.find(one => one !== victim.payer)
      return [await signed(victim, forger, { claimsToBe: victim.payer })]
    }
    case 'overdraw': {
      const jobs = [own, { ...own, jobId: random.uuid(), agent: random.pick(agents) }]
      known.push(...jobs)
      return await Promise.all(jobs.map(job => signed(job)))
    }
    case 'twin-nonce': {
      known.push(own)
      const nonce = random.hex(32)
      const other = random.chance(0.5) ? own : { ...own, jobId: random.uuid() }
      const first = await signed(own, own.payer, { nonce })
      return [first, await signed(other, own.payer, { nonce, laterSeconds: 7 })]
    }
    default:
      return [{ job: victim }]
  }
}

/** Pays for a job, again if the first payment failed, and repeats the request much later. */
async function payUntilTaken(errand: Errand): Promise<void> {
  const { plan, random, own, process } = errand
  for (let signed = 1; ; signed += 1) {
    const { header } = await signForJob(errand, own.payer, own)
    const answers = await Promise.all(
      times(plan.copies, async index => {
        // A patient caller also asks on a second connection, later and with more time.
        if (plan.isPatient && index > 0) await process.sleep(random.between(0, SECOND_LINE_MS))
        return await send(errand, own, header)
      }),
    )
    if (signed === MOST_SIGNATURES || !answers.some(answer => /sign a new one/.test(answer?.text ?? ''))) {
      await process.sleep(random.between(0, 15_000))
      await send(errand, own, header)
      return
    }
    await process.sleep(random.between(0, 4_000))
  }
}

const MOST_SIGNATURES = 3
const SECOND_LINE_MS = 12_000

/** Repeats a call until it has a final answer, or its time limit is reached; resolves to the last answer. */
async function send(
  { world, plan, random, process }: Errand,
  { agent, jobId, capability }: KnownJob,
  header: string | undefined,
  isForged = false,
): Promise<AgentAnswer | undefined> {
  const body = JSON.stringify({
    service_version: '1.0',
    job_id: random.chance(0.2) ? jobId.toUpperCase() : jobId,
    task: { capability, input: { text: jobId.slice(0, 8) } },
    deadline: process.nowMs() / 1_000 + plan.deadlineSeconds,
  })
  const tries = random.between(2, 5)
  const timeoutMs = random.pick(plan.isPatient ? [30_000] : [2_000, 8_000, 30_000])
  const call = { agent, jobId, body, header, isForged }
  let last: AgentAnswer | undefined
  for (let tried = 1; tried <= tries; tried += 1) {
    const stop = new AbortController()
    try {
      last = await withTimeout(process, timeoutMs, sendToAgent(world, process, call, stop.signal))
      if (last.status !== 503) return last
    } catch {
      stop.abort()
    }
    await process.sleep(random.between(50, 3_000))
  }
  return last
}

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index))
}
