import { join } from 'node:path'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { setStage, type Stage } from '../../../e2e/stage/stage.ts'
import { startChainProxy, type ChainProxy } from './chain-proxy.ts'
import { startWire, type Delivered, type Wire } from './wire.ts'

/** An agent, and the wires to and from it. */
export interface WiredAgent {
  readonly wallet: string
  /** Between client and agent: its URL is where the agent is called. */
  readonly agentWire: Wire
  /** Between agent and facilitator. */
  readonly facilitatorWire: Wire
}

/** Real processes with a wire between any two of them. */
export interface FaultStage {
  readonly stage: Stage
  /** Between facilitator and chain node. */
  readonly node: ChainProxy
  /** Believes our facilitator, which proves what it says. */
  readonly agent: WiredAgent
  /** Believes nobody: it has a node of its own. */
  readonly doubter: WiredAgent
  stop(): Promise<void>
}

const CONFIG = 'e2e/agents/counted/agent.json'

/**
 * Starts a chain, a facilitator and two agents, each a process of its own. What the doubter's facilitator says it can
 * do: nothing beyond the standard, or to hold and prove payments as ours does.
 */
export async function setFaultStage(claims: 'nothing' | 'holds' = 'nothing'): Promise<FaultStage> {
  const stage = await setStage()
  try {
    const node = await startChainProxy(stage.chain.rpcUrl)
    stage.onStrike(node.stop)
    const facilitator = await stage.facilitator({
      rpcUrl: node.url,
      environment: { FACILITATOR_REQUESTS_PER_SECOND: '5000', FACILITATOR_DAILY_SETTLEMENTS: '1000000' },
    })
    const wired = async (name: string, wallet: string, doubts: boolean): Promise<WiredAgent> => {
      const facilitatorWire = await startWire(
        facilitator.url,
        doubts && claims === 'nothing' ? { change: withoutHolds } : {},
      )
      stage.onStrike(facilitatorWire.stop)
      const agent = await stage.agent({
        config: CONFIG,
        name,
        wallet,
        facilitator: facilitatorWire,
        secret: await stage.secret(facilitator, [wallet]),
        store: `lmdb:${join(stage.folder, 'jobs', name)}`,
        ...(doubts && { environment: { SERVICE_RPC_URL: stage.chain.rpcUrl } }),
      })
      const agentWire = await startWire(agent.url)
      stage.onStrike(agentWire.stop)
      return { wallet, agentWire, facilitatorWire }
    }
    const agent = await wired('believing', TEST_KEYS.agent.address, false)
    const doubter = await wired('doubting', TEST_KEYS.secondAgent.address, true)
    return { stage, node, agent, doubter, stop: () => stage.strike() }
  } catch (error) {
    await stage.strike()
    throw error
  }
}

/** Makes a facilitator of ours look like any other. */
function withoutHolds(path: string, delivered: Delivered): Delivered {
  return path === '/supported'
    ? { ...delivered, text: delivered.text.replace('"farebox-hold"', '') }
    : delivered
}
