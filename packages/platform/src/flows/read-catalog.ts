import type { CurrentCapability } from '@farebox/flows/internal/check/catalog'
import type { Flow } from '@farebox/flows/document/flow'
import { MAX_AGENT_NAME_CHARACTERS } from '@farebox/protocol/limits'
import type { Database } from '@farebox/server/internal/postgres/connect'
import { describeCapability, MOST_DESCRIPTION_CHARACTERS } from '../agent-pages/describe-capability.ts'
import { SPEAKS, type AgentRow } from '../agents/agent-row.ts'
import { readAgents } from '../agents/read-agent.ts'
import { whyNotPayable } from '../agents/why-not-payable.ts'
import { ownersText } from '../listing/owners-text.ts'
import type { KnownCapability } from '../checking/check-flow.ts'

/** The current state of every capability that a flow orders; null when it is gone. */
export async function readCatalog(database: Database, flow: Flow): Promise<readonly KnownCapability[]> {
  const wanted = new Map<string, CapabilityRef>()
  for (const step of Object.values(flow.steps))
    if (step.kind === 'job')
      wanted.set(`${step.agent_id} ${step.capability}`, {
        agentId: step.agent_id,
        capability: step.capability,
      })
  return await readCapabilities(database, [...wanted.values()])
}

/** Identifies a capability by agent and name. */
export interface CapabilityRef {
  readonly agentId: number
  readonly capability: string
}

/** The current state of these capabilities, in this order; null when one is gone. */
export async function readCapabilities(
  database: Database,
  wanted: readonly CapabilityRef[],
): Promise<readonly KnownCapability[]> {
  const ids = [...new Set(wanted.map(({ agentId }) => agentId))]
  const agents = new Map((await readAgents(database, ids)).map(agent => [agent.agentId, agent]))
  return await Promise.all(
    wanted.map(async ({ agentId, capability }) => ({
      agentId,
      capability,
      current: await readCurrent(agents.get(agentId), capability),
    })),
  )
}

/**
 * The current state of a capability; null when it is gone, or when the agent's texts are not shown, for example after a
 * take-down.
 */
export async function readCurrent(
  agent: AgentRow | undefined,
  name: string,
): Promise<CurrentCapability | null> {
  const declaration = agent !== undefined && SPEAKS[agent.standing] ? agent.declaration : undefined
  const declared = declaration?.capabilities ?? {}
  const capability = Object.hasOwn(declared, name) ? declared[name] : undefined
  if (agent === undefined || declaration === undefined || capability === undefined) return null
  const { hash, price, permissions } = await describeCapability(name, capability)
  const reason = whyNotPayable(agent)
  return {
    agent_name: ownersText(agent.name, MAX_AGENT_NAME_CHARACTERS).text,
    state: reason !== undefined ? 'closed' : agent.isOffline ? 'offline' : 'online',
    ...(reason !== undefined && { reason }),
    hash,
    price,
    max_deadline_seconds: declaration.max_deadline_seconds,
    input_schema: capability.input_schema,
    output_schema: capability.output_schema,
    permissions: permissions.map(
      ({ reason: why }) => ownersText(String(why ?? ''), MOST_DESCRIPTION_CHARACTERS).text,
    ),
  }
}
