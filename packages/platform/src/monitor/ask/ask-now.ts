import { checkSoon } from '../../agents/check-soon.ts'
import type { AgentRow } from '../../agents/agent-row.ts'
import { describeError } from '@farebox/server/log'
import type { PlatformParts } from '../../platform-parts.ts'
import { checkOnce } from './check-agent.ts'

/** So long an answer counts: pages that look again and again do not ask the agent each time. */
const KEPT_MS = 5_000

/** Agents that are asked in {@link KEPT_MS}, by all readers together: asking costs no reader anything. */
const MOST_ASKED = 250

/** Whether an agent answers at this moment. */
export type AskNow = (agent: Pick<AgentRow, 'agentId' | 'endpoint' | 'name'>) => Promise<boolean>

/**
 * Asks agents themselves, by one `GET /health` in {@link KEPT_MS} for everybody, before somebody pays. Nothing is written
 * down: an agent that gives no answer is checked soon, and only that check changes how it is seen. Beyond
 * {@link MOST_ASKED} agents their last checks count.
 */
export function createAskNow({ clock, database, log, outbound }: PlatformParts): AskNow {
  const asked = new Map<number, { readonly atMs: number; readonly answers: Promise<boolean> }>()
  const ask: AskNow = async ({ agentId, endpoint, name }) => {
    if (endpoint === undefined) return false
    const { ok } = await checkOnce(outbound, { endpoint, name })
    if (!ok)
      await checkSoon(database, agentId).catch((error: unknown) => {
        log.warn('an agent is not checked soon', { agent: agentId, error: describeError(error) })
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
