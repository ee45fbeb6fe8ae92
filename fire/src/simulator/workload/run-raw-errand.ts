import type { AgentAnswer } from '../parties/agent-party.ts'
import { withTimeout } from '../time/virtual-process.ts'
import type { Errand, KnownJob } from './errand.ts'
import { meddle } from './meddle.ts'
import type { ErrandKind } from './plan-workload.ts'
import { sendToAgent } from './send-to-agent.ts'
import { signForJob } from './sign-for-job.ts'

/** Does what programs do that are not our client: the honest, the hasty and the others. */
export async function runRawErrand(errand: Errand): Promise<void> {
  const { plan, random, known, own, world, agents } = errand
  const { payer } = own
  const victim = known.length === 0 ? undefined : random.pick(known)
  if (victim === undefined && NEEDS_VICTIM.has(plan.kind)) return
  world.wires.faults.happened(`errand: ${plan.kind}`)
  switch (plan.kind) {
    case 'client':
    case 'raw': {
      known.push(own)
      await payUntilTaken(errand)
      return
    }
    case 'replay': {
      const payment = await signForJob(errand, payer, own)
      const others = times(1 + plan.copies, index => ({
        ...own,
        jobId: index === 0 ? own.jobId : random.uuid(),
        agent: random.chance(0.4) ? random.pick(agents) : own.agent,
        capability: random.chance(0.3) ? 'twin' : own.capability,
      }))
      known.push(...others)
      await Promise.all(others.map(job => send(errand, job, payment.header)))
      return
    }
    case 're-sign':
    case 'impostor': {
      if (victim === undefined) return
      const by = plan.kind === 're-sign' ? victim.payer : payer
      const payments = await Promise.all(
        times(Math.min(2, plan.copies), () => signForJob(errand, by, victim)),
      )
      await Promise.all(payments.map(payment => send(errand, victim, payment.header)))
      return
    }
    case 'forger': {
      if (victim === undefined) return
      const forger = errand.stage.cast.payers.find(one => one !== victim.payer) ?? payer
      const { header } = await signForJob(errand, forger, victim, { claimsToBe: victim.payer })
      await send(errand, victim, header, true)
      return
    }
    case 'beggar':
      await send(errand, victim ?? own, undefined)
      return
    case 'meddler':
      await meddle(errand, await signForJob(errand, payer, own, { isBound: false }))
      return
    case 'overdraw': {
      const jobs = [own, { ...own, jobId: random.uuid(), agent: random.pick(agents) }]
      known.push(...jobs)
      await Promise.all(
        jobs.map(async job => {
          const { header } = await signForJob(errand, payer, job)
          await send(errand, job, header)
        }),
      )
      return
    }
    case 'twin-nonce': {
      known.push(own)
      const nonce = random.hex(32)
      const other = random.chance(0.5) ? own : { ...own, jobId: random.uuid() }
      const one = await signForJob(errand, payer, own, { nonce })
      const two = await signForJob(errand, payer, other, { nonce, laterSeconds: 7 })
      await Promise.all([send(errand, own, one.header), send(errand, other, two.header)])
    }
  }
}

/** What is done to somebody else's job. */
const NEEDS_VICTIM: ReadonlySet<ErrandKind> = new Set(['re-sign', 'impostor', 'forger'])

/** Pays for a job, again where the first payment came to nothing, and asks once more much later. */
async function payUntilTaken(errand: Errand): Promise<void> {
  const { plan, random, own, process } = errand
  for (let signed = 1; ; signed += 1) {
    const { header } = await signForJob(errand, own.payer, own)
    const answers = await Promise.all(
      times(plan.copies, async index => {
        // Who waits patiently asks on a second line as well, later on and with more time.
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

/** Sends a call until it has an answer that is final, or patience ends; resolves to the last answer. */
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
