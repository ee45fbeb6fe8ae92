import { describeError } from '@farebox/server/log'
import type { PlatformParts } from '../../platform-parts.ts'
import type { Background } from '../../work/loop.ts'
import { createNotifier } from '../../work/notifier.ts'
import { startWorker } from '../../work/worker.ts'
import { inspectAgent } from './inspect-agent.ts'
import { returnAgent, takeDueAgents } from './take-agents.ts'

/** Inspects agents as they become due. */
export interface Inspections extends Background {
  /** Makes the worker check for due agents now; called when an agent may have become due. */
  wake(): void
}

const MAX_INSPECTIONS_AT_ONCE = 16
const IDLE_MS = 5_000

/** Starts inspecting the agents that are due: at most sixteen at a time in this process, each under a lease. */
export function startInspections(parts: PlatformParts): Inspections {
  const { database, clock, log } = parts
  const due = createNotifier(clock)
  const worker = startWorker<number>(clock, {
    slots: MAX_INSPECTIONS_AT_ONCE,
    due,
    pace: { pollMs: IDLE_MS, idleMs: IDLE_MS },
    take: ({ limit }) => takeDueAgents(database, clock.nowMs(), limit),
    async work(agentId, { signal }) {
      await inspectAgent(parts, agentId, signal)
      if (signal.aborted) await returnAgent(database, agentId, clock.nowMs())
      // The result may have made other agents due.
      due.notify()
    },
    onFailure: (error, agent) =>
      agent === undefined
        ? log.warn('could not lease the agents due for inspection', { error: describeError(error) })
        : log.warn('agent inspection failed', { agent, error: describeError(error) }),
  })
  return { wake: () => due.notify(), stop: () => worker.stop() }
}
