import type { Economy } from '@farebox/local/economy'
import { registerAgent, type RegisteredAgent } from '@farebox/local/internal/register-agent'

/** Registers the economy's agents at its platform, at the same time; those that are registered stay as they are. */
export async function registerAgents(
  { platform, chain, agents }: Pick<Economy, 'platform' | 'chain' | 'agents'>,
  signal: AbortSignal,
): Promise<readonly RegisteredAgent[]> {
  if (platform === undefined) return []
  return await Promise.all(
    agents.map(({ url, declaration }) =>
      registerAgent(platform, chain, { url, wallet: declaration.wallet }, signal),
    ),
  )
}

/** What was registered, for a line: "ids 1, 2, 3" and what it took. */
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
