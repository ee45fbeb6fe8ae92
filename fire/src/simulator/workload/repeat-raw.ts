import type { Random } from '../seeded-random.ts'
import type { VirtualProcess } from '../time/virtual-process.ts'
import { withTimeout } from '../wires/with-timeout.ts'
import type { AgentAnswer } from '../parties/agent-party.ts'
import type { World } from '../world.ts'
import { sendToAgent, type JobCall } from './send-to-agent.ts'

/** How a caller that is not our client repeats a call. */
export interface RepeatLimits {
  readonly tries: number
  readonly timeoutMs: number
}

/** Sends a call until it has an answer that is final, or patience ends; resolves to the last answer. */
export async function repeatRaw(
  world: World,
  process: VirtualProcess,
  call: JobCall,
  limits: RepeatLimits,
  random: Random,
): Promise<AgentAnswer | undefined> {
  let last: AgentAnswer | undefined
  for (let tried = 1; tried <= limits.tries; tried += 1) {
    const stop = new AbortController()
    try {
      last = await withTimeout(process, limits.timeoutMs, sendToAgent(world, process, call, stop.signal))
      if (last.status !== 503) return last
    } catch {
      stop.abort()
    }
    await new Promise<void>(resolve => void process.after(random.between(50, 3_000), resolve))
  }
  return last
}
