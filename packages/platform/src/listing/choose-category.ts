import type { AgentCategory } from '@farebox/platform-api/internal/listing/agent-categories'
import type { Database } from '@farebox/server/internal/postgres/connect'
import { indexAgent } from './index-agent.ts'

/**
 * Writes the category that an agent's owner chose, and lets the search follow.
 *
 * @param owner lower-case address
 * @returns false where the agent is not this owner's, or there is none
 */
export async function chooseCategory(
  database: Database,
  { agentId, owner }: { readonly agentId: number; readonly owner: string },
  category: AgentCategory | null,
): Promise<boolean> {
  return await database.inTransaction(async client => {
    const { rowCount } = await client.query(
      'update agents set category = $3 where agent_id = $1 and owner = $2',
      [agentId, owner, category],
    )
    if (rowCount === 0) return false
    await indexAgent(client, agentId)
    return true
  })
}
