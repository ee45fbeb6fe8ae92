import type { Database } from '@farebox/server/internal/postgres/connect'
import type { AgentRow } from '../../agents/agent-row.ts'
import { readAgents } from '../../agents/read-agent.ts'
import type { KnownCapability } from '../../checking/check-flow.ts'
import { findAgents } from '../../search/find-agents.ts'
import type { FrequencySource } from '../../search/frequencies.ts'
import { readSearch } from '../../search/search.ts'
import { exactKey } from '../../words.ts'
import { readCurrent } from '../read-catalog.ts'

/** The best so many of a name are asked whether they suit. */
const MOST_CANDIDATES = 8

/** Who offers capabilities of these names and can be ordered from now, the best first. */
export async function findCandidates(
  database: Database,
  frequencies: FrequencySource,
  names: readonly string[],
): Promise<{ readonly [capability: string]: readonly KnownCapability[] }> {
  const memory = { frequencies, counter: { count: () => undefined } }
  const found: [string, readonly KnownCapability[]][] = []
  for (const name of names) {
    const search = readSearch({ capability: name, limit: String(MOST_CANDIDATES) })
    const page = await findAgents(database, memory, search)
    const ids = page.found.map(({ agentId }) => Number(agentId))
    const agents = new Map((await readAgents(database, ids)).map(agent => [agent.agentId, agent]))
    const offered = await Promise.all(ids.map(id => offeredBy(agents.get(id), name)))
    found.push([name, offered.filter(({ current }) => current?.state === 'online')])
  }
  return Object.fromEntries(found)
}

async function offeredBy(agent: AgentRow | undefined, name: string): Promise<KnownCapability> {
  const declared = Object.keys(agent?.declaration?.capabilities ?? {})
  const capability = declared.find(one => exactKey(one) === name) ?? name
  return { agentId: agent?.agentId ?? 0, capability, current: await readCurrent(agent, capability) }
}
