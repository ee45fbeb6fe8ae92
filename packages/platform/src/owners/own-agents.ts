import type { Database } from '@farebox/server/internal/postgres/connect'
import { Refusal } from '../http/refusal.ts'
import { AGENT_COLUMNS, toAgentRow, type AgentColumns, type AgentRow } from '../agents/agent-row.ts'
import { readAgent } from '../agents/read-agent.ts'

/**
 * Reads the agent of this number for the owner of its token.
 *
 * Throws a {@link Refusal} `not_found`; the error is the same whether the agent does not exist or belongs to another
 * owner.
 */
export async function readOwnAgent(
  { database }: { readonly database: Database },
  agentId: number,
  address: string,
): Promise<AgentRow> {
  const agent = await readAgent(database, agentId)
  if (agent?.owner !== address) throw noSuchAgent(agentId)
  return agent
}

/** The same error whether the agent does not exist or belongs to another owner. */
export function noSuchAgent(agentId: number): Refusal {
  return new Refusal('not_found', `agentId: you have no agent ${agentId}`)
}

/** Lists the agents that an address owns, in any standing, ordered by number, beginning after `afterAgentId`. */
export async function listOwnAgents(
  database: Database,
  address: string,
  { afterAgentId, limit }: { readonly afterAgentId: number; readonly limit: number },
): Promise<readonly AgentRow[]> {
  const rows = await database.query<AgentColumns>(
    'list-own-agents',
    `select ${AGENT_COLUMNS} from agents where owner = $1 and agent_id > $2 order by agent_id limit $3`,
    [address, afterAgentId, limit],
  )
  return rows.map(toAgentRow)
}

/** Counts the agents that an address owns. */
export async function countOwnAgents(database: Database, address: string): Promise<number> {
  const [row] = await database.query<{ count: string }>(
    'count-own-agents',
    'select count(*) from agents where owner = $1',
    [address],
  )
  return Number(row?.count ?? 0)
}

/**
 * Lists the wallets that may receive payments for this address: the address itself, and the proven wallets of its
 * listed agents.
 */
export async function listOwnWallets(database: Database, address: string): Promise<readonly string[]> {
  const rows = await database.query<{ proven_wallet: string }>(
    'list-own-wallets',
    `select distinct proven_wallet from agents
     where owner = $1 and standing = 'listed' and proven_wallet is not null order by proven_wallet`,
    [address],
  )
  return [...new Set([address, ...rows.map(row => row.proven_wallet)])]
}
