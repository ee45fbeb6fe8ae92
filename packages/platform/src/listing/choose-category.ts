import type { AgentCategory } from '@farebox/platform-api/internal/listing/agent-categories'
import type { Database } from '@farebox/server/internal/postgres/connect'
import { indexAgent } from './index-agent.ts'

/**
 * Stores the category that an agent's owner chose, and updates the search entry.
 *
 * @param owner lower-case address
 * @returns false when the agent does not exist or has another owner
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
