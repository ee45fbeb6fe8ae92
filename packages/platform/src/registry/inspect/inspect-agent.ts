import { describeError } from '@farebox/server/log'
import type { PlatformParts } from '../../platform-parts.ts'
import { applyInspection, type Inspected } from './apply-inspection.ts'
import { calledFor, type AgentRow } from '../../agents/agent-row.ts'
import { probeAgent, probeHealth } from './probe-agent.ts'
import { refuseProbe, type ProbeResult } from './probe-result.ts'
import { readAbout } from './read-about.ts'
import { readAgent } from '../../agents/read-agent.ts'
import { isRefusedByDatabase } from '../../storage/unless-refused.ts'

/**
 * Inspects an agent and writes the result: whether it is listed, its declaration, whether its wallet is proven, and
 * when to inspect it again. The caller must have leased the agent (`takeDueAgents`, `takeAgent`).
 *
 * Resolves to undefined when there is nothing to inspect: the agent does not exist, was deregistered or taken down, or
 * its chain data changed during the inspection. In the last case another inspection is already due.
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
    // Without this result the agent would be due again at the end of each lease, forever.
    parts.log.error('the database refuses the declaration of an agent', {
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
 * Probes a listed agent by its `/about` alone: it has already shown that it requests payment, and callers compare its
 * payment terms when they pay. When `/about` is missing, `/health` decides whether the agent is still running.
 */
async function probe(parts: PlatformParts, agent: AgentRow, signal?: AbortSignal): Promise<ProbeResult> {
  const { endpoint, standing } = agent
  if (endpoint === undefined) {
    const verdict = parts.outbound.judge(agent.endpointOnChain, calledFor(agent))
    return refuseProbe('endpoint', verdict.ok ? 'is not canonical' : verdict.reason)
  }
  const called = { endpoint, calledFor: calledFor(agent) }
  if (standing !== 'listed') return await probeAgent(parts, called, signal)
  const about = await readAbout(parts, called, signal)
  if (about.kind !== 'missing') return about
  const health = await probeHealth(parts, called, signal)
  return health.kind === 'refused' ? health : { kind: 'phase-1', name: health.name }
}
