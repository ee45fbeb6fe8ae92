import { pin } from '@farebox/flows/internal/check/catalog'
import type { OfferedCapability } from '@farebox/platform-api/flows/capabilities'
import type { Database } from '@farebox/server/internal/postgres/connect'
import { MOST_DESCRIPTION_CHARACTERS } from '../../agent-pages/describe-capability.ts'
import { SPEAKS, type AgentRow } from '../../agents/agent-row.ts'
import { readAgents } from '../../agents/read-agent.ts'
import type { PortFit } from '../../checking/flows/find-fitting.ts'
import type { AskNow } from '../../monitor/ask/ask-now.ts'
import { ownersText } from '../../listing/owners-text.ts'
import { readCurrent, type CapabilityRef } from '../read-catalog.ts'

/** A requested capability. */
export interface AskedCapability extends CapabilityRef {
  readonly fits?: readonly PortFit[]
}

/**
 * The current state of these capabilities, in this order; `gone` when one no longer exists.
 *
 * @param askNow asks online agents whether they answer; without it the result of their last checks is used
 */
export async function describeOffered(
  database: Database,
  asked: readonly AskedCapability[],
  askNow?: AskNow,
): Promise<readonly OfferedCapability[]> {
  const ids = [...new Set(asked.map(({ agentId }) => agentId))]
  const agents = new Map((await readAgents(database, ids)).map(agent => [agent.agentId, agent]))
  return await Promise.all(asked.map(one => describeOne(agents.get(one.agentId), one, askNow)))
}

async function describeOne(
  agent: AgentRow | undefined,
  { agentId, capability, fits = [] }: AskedCapability,
  askNow: AskNow | undefined,
): Promise<OfferedCapability> {
  const current = await readCurrent(agent, capability)
  const badge = agent !== undefined && SPEAKS[agent.standing] ? agent.badgeShown : 'none'
  const same = { agent_id: agentId, capability, badge, fits: [...fits] }
  if (current === null)
    return { ...same, description: '', state: 'gone', reason: null, permissions: [], pinned: null }
  const { reason = null, permissions } = current
  const isAsked = current.state === 'online' && agent !== undefined && askNow !== undefined
  const state = isAsked && !(await askNow(agent)) ? 'unreachable' : current.state
  const { input_schema, output_schema, ...pinned } = pin(current)
  const { description = '' } = agent?.declaration?.capabilities[capability] ?? {}
  return {
    ...same,
    description: ownersText(description, MOST_DESCRIPTION_CHARACTERS).text,
    state,
    reason,
    permissions: [...permissions],
    pinned: { ...pinned, input_schema: { ...input_schema }, output_schema: { ...output_schema } },
  }
}
