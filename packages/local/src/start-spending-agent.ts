import { findRegistered, registerAgent, untilChecked } from './listing/register-agent.ts'
import { startAgentProcess, type LocalAgentProcess, type AgentProcessOptions } from './start-agent-process.ts'

/** An agent that spends what its payers permit, and where it is registered. */
export interface SpendingAgentOptions extends AgentProcessOptions {
  readonly platform: { readonly url: string }
  /** The key that it spends with. */
  readonly spenderPrivateKey: string
}

/**
 * Starts an agent that spends. It has to know its number, and has one only once it is registered: where it is not yet,
 * it is served without the key first, registered, and started again.
 *
 * @throws Error where it does not start, or the platform does not list it
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
    // The platform looks at once whether it answers: so that it does, and is not shown as one that does not.
    await untilChecked(platform, agentId, options.signal)
    return { agentId, port: Number(new URL(url).port) }
  } finally {
    await served.stop()
  }
}
