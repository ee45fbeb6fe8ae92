import { describeError } from '@farebox/server/log'
import type { Background, PlatformParts } from '../../platform-parts.ts'
import { inspectAgent } from './inspect-agent.ts'
import { returnAgent, takeDueAgents } from './take-agents.ts'

/** Inspects agents as they fall due. */
export interface Inspections extends Background {
  /** Somebody may have fallen due just now. */
  wake(): void
}

const MAX_INSPECTIONS_AT_ONCE = 16
const IDLE_MS = 5_000

/** Starts inspecting the agents that are due: at most sixteen at a time in this process, each taken by lease. */
export function startInspections(parts: PlatformParts): Inspections {
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  let pause = new AbortController()

  const inspect = async (agentId: number): Promise<void> => {
    try {
      await inspectAgent(parts, agentId, stopping.signal)
      if (stopping.signal.aborted) await returnAgent(parts.database, agentId, parts.clock.nowMs())
    } catch (error) {
      // Its lease ends by itself: it is due again soon.
      parts.log.warn('agent inspection failed', { agent: agentId, error: describeError(error) })
    }
  }

  const round = async (): Promise<void> => {
    const taken = await takeDueAgents(
      parts.database,
      parts.clock.nowMs(),
      MAX_INSPECTIONS_AT_ONCE - running.size,
    )
    for (const agentId of taken) {
      const inspecting = inspect(agentId).finally(() => {
        running.delete(inspecting)
        pause.abort()
      })
      running.add(inspecting)
    }
  }

  const work = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      pause = new AbortController()
      if (running.size < MAX_INSPECTIONS_AT_ONCE) {
        await round().catch((error: unknown) => {
          parts.log.warn('agents due could not be taken', { error: describeError(error) })
        })
      }
      await parts.clock.sleep(IDLE_MS, AbortSignal.any([pause.signal, stopping.signal]))
    }
    await Promise.all(running)
  }

  const working = work()
  return {
    wake: () => pause.abort(),
    async stop() {
      stopping.abort()
      await working
    },
  }
}
