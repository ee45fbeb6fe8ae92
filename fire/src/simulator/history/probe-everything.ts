import type { AgentParty } from '../parties/agent-party.ts'
import type { Send } from '../records/send-records.ts'
import { startProcess } from '../time/virtual-process.ts'
import { sendToAgent } from '../workload/send-to-agent.ts'
import type { World } from '../build-world.ts'

/** An agent's final answer to an earlier call. */
export interface Probe {
  readonly send: Send
  /** 0 if there was none. */
  readonly status: number
  readonly text: string
}

export const PROBE = 'probe'

const LOOK_MS = 3_000
/** Longer than a facilitator's interval between two comparisons with the chain: only then is a failure final. */
const MOST_LOOKS = 30

/** Repeats every call with a payment once more at the end: the same bytes with the same header. */
export async function probeEverything(
  world: World,
  agents: readonly AgentParty[],
): Promise<readonly Probe[]> {
  const { time } = world.wires
  const process = startProcess(time, PROBE)
  const probes: Probe[] = []
  const open = [...distinctCalls(world.sends.all())].map(async send => {
    const agent = agents.find(({ name }) => name === send.agent)
    if (agent === undefined) return
    const jobId = send.job.slice(send.job.indexOf('/') + 1)
    for (let look = 1; look <= MOST_LOOKS; look += 1) {
      const { status, text } = await sendToAgent(world, process, { ...send, agent, jobId }).catch(NO_ANSWER)
      if ((status !== 503 && status !== 0) || look === MOST_LOOKS) {
        probes.push({ send, status, text })
        return
      }
      await process.sleep(LOOK_MS)
    }
  })
  await time.runUntil(time.nowMs() + 1_000)
  for (let look = 1; look <= MOST_LOOKS + 4 && probes.length < open.length; look += 1)
    await time.runUntil(time.nowMs() + LOOK_MS)
  process.crash()
  return probes
}

const NO_ANSWER = (error: unknown): Pick<Probe, 'status' | 'text'> => ({ status: 0, text: String(error) })

/** One call of each job with each payment: the last, because its deadline is the latest. */
function distinctCalls(sends: readonly Send[]): ReadonlySet<Send> {
  const last = new Map<string, Send>()
  for (const send of sends) {
    if (send.payment !== undefined && !send.isForged) last.set(`${send.job} ${send.payment}`, send)
  }
  return new Set(last.values())
}
