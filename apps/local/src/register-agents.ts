import type { Economy } from '@farebox/local/economy'
import { chooseListingCategory } from '@farebox/local/internal/listing/choose-category'
import { registerAgent, type RegisteredAgent } from '@farebox/local/internal/listing/register-agent'
import type { AgentCategory } from '@farebox/platform-api/internal/listing/agent-categories'

/**
 * Registers the economy's agents at its platform concurrently, each in its category. Agents that are already registered
 * are left unchanged.
 *
 * @param kinds the kinds of the agents, in the same order as the agents
 */
export async function registerAgents(
  { platform, chain, agents }: Pick<Economy, 'platform' | 'chain' | 'agents'>,
  kinds: readonly { readonly category: AgentCategory }[],
  signal: AbortSignal,
): Promise<readonly RegisteredAgent[]> {
  if (platform === undefined) return []
  return await Promise.all(
    agents.map(async ({ url, declaration: { wallet } }, index) => {
      const registered = await registerAgent(platform, chain, { url, wallet }, signal)
      const kind = kinds[index]
      if (kind !== undefined)
        await chooseListingCategory(platform, chain, {
          agentId: registered.agentId,
          wallet,
          category: kind.category,
        })
      return registered
    }),
  )
}

/** Describes the registrations for one line of output: "ids 1, 2, 3", and their cost. */
export function describeRegistered(registered: readonly RegisteredAgent[]): {
  readonly text: string
  readonly note: string
} {
  const ids = registered.map(({ agentId }) => agentId).toSorted((one, other) => one - other)
  const isNew = registered.some(agent => agent.isNew)
  return {
    text: `${ids.length === 1 ? 'agent' : 'agents'} ${ids.join(', ')}`,
    note: isNew ? '0.001 test ETH staked for each' : 'staked before',
  }
}
