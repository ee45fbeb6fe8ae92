import type { AgentAnswer } from '../parties/agent-party.ts'
import type { VirtualProcess } from '../time/virtual-process.ts'
import type { ErrandParts, KnownJob } from './errand.ts'
import { meddle } from './meddle.ts'
import type { ErrandKind } from './plan-workload.ts'
import { repeatRaw } from './repeat-raw.ts'
import { signForJob } from './sign-for-job.ts'

/** Does what programs do that are not our client: the honest, the hasty and the others. */
export async function runRawErrand(
  parts: ErrandParts,
  process: VirtualProcess,
  own: KnownJob,
): Promise<void> {
  const { plan, random, known } = parts
  const { payer } = own
  const victim = known.length === 0 ? undefined : random.pick(known)
  if (victim === undefined && NEEDS_VICTIM.has(plan.kind)) return
  parts.world.wires.faults.happened(`errand: ${plan.kind}`)
  switch (plan.kind) {
    case 'client':
    case 'raw': {
      known.push(own)
      await payUntilTaken(parts, process, own)
      return
    }
    case 'replay': {
      const payment = await signForJob(parts, process, payer, own)
      const others = times(1 + plan.copies, index => ({
        ...own,
        jobId: index === 0 ? own.jobId : random.uuid(),
        agent: random.chance(0.4) ? random.pick(parts.agents) : own.agent,
        capability: random.chance(0.3) ? 'twin' : own.capability,
      }))
      known.push(...others)
      await Promise.all(others.map(job => send(parts, process, job, payment.header)))
      return
    }
    case 're-sign':
    case 'impostor': {
      if (victim === undefined) return
      const by = plan.kind === 're-sign' ? victim.payer : payer
      const payments = await Promise.all(
        times(Math.min(2, plan.copies), () => signForJob(parts, process, by, victim)),
      )
      await Promise.all(payments.map(payment => send(parts, process, victim, payment.header)))
      return
    }
    case 'forger': {
      if (victim === undefined) return
      const forger = parts.cast.payers.find(one => one !== victim.payer) ?? payer
      const { header } = await signForJob(parts, process, forger, victim, { claimsToBe: victim.payer })
      await send(parts, process, victim, header, true)
      return
    }
    case 'beggar':
      await send(parts, process, victim ?? own, undefined)
      return
    case 'meddler': {
      const payment = await signForJob(parts, process, payer, own, { isBound: false })
      await meddle(parts.world, process, parts.secret, payment, random)
      return
    }
    case 'overdraw': {
      const jobs = [own, { ...own, jobId: random.uuid(), agent: random.pick(parts.agents) }]
      known.push(...jobs)
      await Promise.all(
        jobs.map(async job => {
          const { header } = await signForJob(parts, process, payer, job)
          await send(parts, process, job, header)
        }),
      )
      return
    }
    case 'twin-nonce': {
      known.push(own)
      const nonce = random.hex(32)
      const other = random.chance(0.5) ? own : { ...own, jobId: random.uuid() }
      const one = await signForJob(parts, process, payer, own, { nonce })
      const two = await signForJob(parts, process, payer, other, { nonce, laterSeconds: 7 })
      await Promise.all([send(parts, process, own, one.header), send(parts, process, other, two.header)])
    }
  }
}

/** What is done to somebody else's job. */
const NEEDS_VICTIM: ReadonlySet<ErrandKind> = new Set(['re-sign', 'impostor', 'forger'])

/** Pays for a job, again where the first payment came to nothing, and asks once more much later. */
async function payUntilTaken(parts: ErrandParts, process: VirtualProcess, own: KnownJob): Promise<void> {
  const { plan, random } = parts
  for (let signed = 1; ; signed += 1) {
    const payment = await signForJob(parts, process, own.payer, own)
    const answers = await Promise.all(
      times(plan.copies, async index => {
        // Who waits patiently asks on a second line as well, later on and with more time.
        if (plan.isPatient && index > 0) await pause(process, random.between(0, SECOND_LINE_MS))
        return await send(parts, process, own, payment.header)
      }),
    )
    if (signed === MOST_SIGNATURES || !answers.some(answer => /sign a new one/.test(answer?.text ?? ''))) {
      await pause(process, random.between(0, 15_000))
      await send(parts, process, own, payment.header)
      return
    }
    await pause(process, random.between(0, 4_000))
  }
}

const MOST_SIGNATURES = 3
const SECOND_LINE_MS = 12_000

async function send(
  parts: ErrandParts,
  process: VirtualProcess,
  { agent, jobId, capability }: KnownJob,
  header: string | undefined,
  isForged = false,
): Promise<AgentAnswer | undefined> {
  const { world, plan, random } = parts
  const body = JSON.stringify({
    service_version: '1.0',
    job_id: random.chance(0.2) ? jobId.toUpperCase() : jobId,
    task: { capability, input: { text: jobId.slice(0, 8) } },
    deadline: process.nowMs() / 1_000 + plan.deadlineSeconds,
  })
  const limits = {
    tries: random.between(2, 5),
    timeoutMs: random.pick(plan.isPatient ? [30_000] : [2_000, 8_000, 30_000]),
  }
  return await repeatRaw(world, process, { agent, jobId, body, header, isForged }, limits, random)
}

function pause(process: VirtualProcess, ms: number): Promise<void> {
  return new Promise(resolve => void process.after(ms, resolve))
}

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index))
}
