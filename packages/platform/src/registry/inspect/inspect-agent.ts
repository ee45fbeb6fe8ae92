import { describeError } from '@farebox/server/log'
import type { PlatformParts } from '../../platform-parts.ts'
import { applyInspection, type Inspected } from './apply-inspection.ts'
import type { AgentRow } from '../../agents/agent-row.ts'
import { probeAgent, probeHealth } from './probe-agent.ts'
import { refuseProbe, type ProbeResult } from './probe-result.ts'
import { readAbout } from './read-about.ts'
import { readAgent } from '../../agents/read-agent.ts'
import { isRefusedByDatabase } from '../../storage/unless-refused.ts'

/**
 * Inspects an agent and writes what it means: whether it is listed, what it declares, whether its wallet is proven, when
 * to inspect it again. Whoever calls it has taken the agent (`takeDueAgents`, `takeAgent`).
 *
 * Resolves to undefined where there is nothing to inspect: no such agent, deregistered, taken down, or changed on the
 * chain meanwhile, after which somebody inspects it again anyway.
 */
export async function inspectAgent(
  parts: PlatformParts,
  agentId: number,
  signal?: AbortSignal,
): Promise<Inspected | undefined> {
  const agent = await readAgent(parts.database, agentId)
  if (agent === undefined || agent.standing === 'deregistered' || agent.standing === 'taken-down')
    return undefined
  const found = await probe(parts, agent, signal)
  if (signal?.aborted === true) return undefined
  return await applyInspection(parts, agent, found).catch(async (error: unknown) => {
    if (!isRefusedByDatabase(error)) throw error
    // Otherwise it would be due again at the end of each lease, for ever.
    parts.log.error('what an agent serves is refused by the database', {
      agent: agentId,
      error: describeError(error),
    })
    return await applyInspection(
      parts,
      agent,
      refuseProbe('about', 'has something in it that cannot be kept'),
    )
  })
}

/**
 * A listed agent has shown that it asks to be paid, and whoever pays it compares what it asks then: only `/about` is
 * read again. Where that is missing, a working `/health` says that the agent is not simply gone.
 */
async function probe(parts: PlatformParts, agent: AgentRow, signal?: AbortSignal): Promise<ProbeResult> {
  const { endpoint, standing } = agent
  if (endpoint === undefined) {
    const verdict = parts.outbound.judge(agent.endpointOnChain)
    return refuseProbe('endpoint', verdict.ok ? 'is not canonical' : verdict.reason)
  }
  if (standing !== 'listed') return await probeAgent(parts, endpoint, signal)
  const about = await readAbout(parts, endpoint, signal)
  if (about.kind !== 'missing') return about
  const health = await probeHealth(parts, endpoint, signal)
  return health.kind === 'refused' ? health : { kind: 'phase-1', name: health.name }
}
