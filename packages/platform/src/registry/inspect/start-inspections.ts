import { describeError } from '@farebox/server/log'
import type { PlatformParts } from '../../platform-parts.ts'
import type { Background } from '../../work/loop.ts'
import { createNotifier } from '../../work/notifier.ts'
import { startWorker } from '../../work/worker.ts'
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
      // What was found may have made others due.
      due.notify()
    },
    onFailure: (error, agent) =>
      agent === undefined
        ? log.warn('agents due could not be taken', { error: describeError(error) })
        : log.warn('agent inspection failed', { agent, error: describeError(error) }),
  })
  return { wake: () => due.notify(), stop: () => worker.stop() }
}
