import { checkSoon } from '../../agents/check-soon.ts'
import { calledFor, type AgentRow } from '../../agents/agent-row.ts'
import { describeError } from '@farebox/server/log'
import type { PlatformParts } from '../../platform-parts.ts'
import { checkOnce } from './check-agent.ts'

/** An answer is kept for this time, so that pages that poll do not send a request to the agent each time. */
const KEPT_MS = 5_000

/**
 * Agents that may be asked within {@link KEPT_MS}, over all readers. The limit is shared because asking costs a reader
 * nothing.
 */
const MOST_ASKED = 250

/** Resolves to whether the agent responds to a health request at this moment. */
export type AskNow = (
  agent: Pick<AgentRow, 'agentId' | 'endpoint' | 'owner' | 'endpointBy' | 'name'>,
) => Promise<boolean>

/**
 * Creates a function that sends `GET /health` to an agent before a caller pays, at most once in {@link KEPT_MS} for all
 * callers. It writes no check: when an agent does not respond, its next check is scheduled soon, and only that check
 * changes its availability. Beyond {@link MOST_ASKED} agents the function resolves to true, so that the last checks
 * decide.
 */
export function createAskNow({ clock, database, log, outbound }: PlatformParts): AskNow {
  const asked = new Map<number, { readonly atMs: number; readonly answers: Promise<boolean> }>()
  const ask: AskNow = async agent => {
    const { agentId, endpoint, name } = agent
    if (endpoint === undefined) return false
    const { ok } = await checkOnce(outbound, { endpoint, calledFor: calledFor(agent), name })
    if (!ok)
      await checkSoon(database, agentId).catch((error: unknown) => {
        log.warn('cannot schedule a check of an agent', { agent: agentId, error: describeError(error) })
      })
    return ok
  }
  return async agent => {
    const nowMs = clock.nowMs()
    for (const [agentId, { atMs }] of asked) {
      if (atMs <= nowMs && nowMs - atMs < KEPT_MS) break
      asked.delete(agentId)
    }
    const known = asked.get(agent.agentId)
    if (known !== undefined) return await known.answers
    if (asked.size >= MOST_ASKED) return true
    const answers = ask(agent)
    asked.set(agent.agentId, { atMs: nowMs, answers })
    return await answers
  }
}
