import type { ListingStatus } from '../agents/agent-row.ts'
import { SPEAKS } from '../agents/agent-row.ts'
import { ownersText } from '../listing/owners-text.ts'
import type { PlatformParts } from '../platform-parts.ts'

const MOST_NAME_CHARACTERS = 64

/**
 * The names of agents for display, by agent id. Agents whose texts are not shown, and impossible ids, are left out.
 *
 * @param agentIds decimal ids
 */
export async function readAgentNames(
  { database }: Pick<PlatformParts, 'database'>,
  agentIds: readonly (string | null)[],
): Promise<ReadonlyMap<string, string>> {
  const possible = [...new Set(agentIds)].filter(id => id !== null && Number.isSafeInteger(Number(id)))
  if (possible.length === 0) return new Map()
  const rows = await database.query<{ agent_id: string; name: string; standing: ListingStatus }>(
    'agent-names',
    'select agent_id, name, standing from agents where agent_id = any($1::bigint[])',
    [possible],
  )
  return new Map(
    rows
      .filter(({ name, standing }) => SPEAKS[standing] && name !== '')
      .map(({ agent_id: id, name }) => [id, ownersText(name, MOST_NAME_CHARACTERS).text] as const),
  )
}
