import { findRegistered, registerAgent, untilChecked } from './listing/register-agent.ts'
import { startAgentProcess, type LocalAgentProcess, type AgentProcessOptions } from './start-agent-process.ts'

/** An agent that spends within the permissions of its payers, and the platform where it is registered. */
export interface SpendingAgentOptions extends AgentProcessOptions {
  readonly platform: { readonly url: string }
  /** The key with which it spends. */
  readonly spenderPrivateKey: string
}

/**
 * Starts an agent that spends. Such an agent needs its agent number, which it gets only by registration. An unregistered
 * agent is therefore served without the key first, registered, and started again.
 *
 * @throws Error when the agent does not start, or the platform does not list it
 */
export async function startSpendingAgent(options: SpendingAgentOptions): Promise<LocalAgentProcess> {
  const { platform, chain, agent, spenderPrivateKey } = options
  const known =
    agent.port === 0 ? undefined : await findRegistered(platform, `http://localhost:${agent.port}`)
  const { agentId, port } =
    known === undefined ? await register(options) : { agentId: known, port: agent.port }
  return await startAgentProcess({
    ...options,
    agent: { ...agent, port },
    environment: {
      AGENT_ID: String(agentId),
      SPENDER_PRIVATE_KEY: spenderPrivateKey,
      SERVICE_RPC_URL: chain.rpcUrl,
      ...options.environment,
    },
  })
}

async function register(
  options: SpendingAgentOptions,
): Promise<{ readonly agentId: number; readonly port: number }> {
  const { platform, chain, agent } = options
  const served = await startAgentProcess(options)
  try {
    const { url } = served
    options.onActivity?.('being registered')
    const { agentId } = await registerAgent(platform, chain, { url, wallet: agent.wallet }, options.signal)
    // The platform checks at once whether the agent answers. The agent must therefore answer now, or it would be shown as
    // unavailable.
    await untilChecked(platform, agentId, options.signal)
    return { agentId, port: Number(new URL(url).port) }
  } finally {
    await served.stop()
  }
}
