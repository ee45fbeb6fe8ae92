import type { Capability, Declaration } from '@farebox/protocol/declaration/declaration'
import { readPrice } from '@farebox/protocol/money/usdc'
import { calledFor, type AgentRow } from '../../agents/agent-row.ts'
import { Refusal } from '../../http/refusal.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import { readAgent, readRecentAgent } from '../../agents/read-agent.ts'

/** A capability of an agent that can be paid. */
export interface PayableCapability {
  readonly agentId: number
  /** The agent's base URL. */
  readonly endpoint: string
  /** The owner in whose name it is called. */
  readonly calledFor: string | undefined
  readonly declaration: Declaration
  /** The registered and proven wallet; lower-case address. */
  readonly wallet: string
  readonly name: string
  readonly capability: Capability
  readonly priceAtomic: bigint
}

/**
 * Like {@link readPayable}, but the agent may be read from a short-lived cache. For runs, which ask the agent for its price
 * before they order.
 *
 * @throws {Refusal} as {@link readPayable}
 */
export async function readRecentPayable(
  { database }: Pick<PlatformParts, 'database'>,
  agentId: number,
  name: string,
): Promise<PayableCapability> {
  return payableOf(await readRecentAgent(database, agentId), agentId, name)
}

/**
 * Reads a capability of an agent that is listed and online and has proven its payment wallet.
 *
 * @param isTrial also accepts an agent whose last payment failed, because this job shows whether it can be paid again
 * @throws {Refusal} `not_found`, `conflict` or `validation`, naming the failed condition
 */
export async function readPayable(
  { database }: Pick<PlatformParts, 'database'>,
  agentId: number,
  name: string,
  { isTrial = false }: { readonly isTrial?: boolean } = {},
): Promise<PayableCapability> {
  return payableOf(await readAgent(database, agentId), agentId, name, isTrial)
}

function payableOf(
  agent: AgentRow | undefined,
  agentId: number,
  name: string,
  isTrial = false,
): PayableCapability {
  if (agent === undefined) throw new Refusal('not_found', `agent_id: there is no agent ${agentId}`)
  const { endpoint, declaration, wallet, provenWallet, standing, paymentProblem } = agent
  if (standing === 'provisional')
    throw conflict('the agent serves no /about, so that nobody can be sent to pay it')
  if (standing !== 'listed' || endpoint === undefined || declaration === undefined)
    throw conflict(`the agent is not listed: it is ${standing}`)
  if (wallet === undefined || wallet !== provenWallet || declaration.wallet.toLowerCase() !== wallet) {
    const proven = provenWallet ?? 'none'
    throw conflict(
      `the agent asks to pay to ${declaration.wallet.toLowerCase()}, and the wallet it has proven is ${proven}`,
    )
  }
  if (agent.isOffline) throw conflict('the agent is offline')
  if (paymentProblem !== undefined && !isTrial)
    throw conflict(`the agent could not take its last payment: ${paymentProblem}`)
  const capability = readCapability(declaration, name)
  const price = readPrice(capability.pricing.amount)
  if (!price.ok) throw new Error(`agent ${agentId}, ${name}: the stored price ${price.reason}`)
  return {
    agentId,
    endpoint,
    calledFor: calledFor(agent),
    declaration,
    wallet,
    name,
    capability,
    priceAtomic: price.atomic,
  }
}

function readCapability({ capabilities }: Declaration, name: string): Capability {
  const capability = Object.hasOwn(capabilities, name) ? capabilities[name] : undefined
  if (capability !== undefined) return capability
  const available = Object.keys(capabilities).join(', ')
  throw new Refusal(
    'validation',
    `capability: Unknown capability ${JSON.stringify(name)}. Available: ${available}`,
  )
}

function conflict(sentence: string): Refusal {
  return new Refusal('conflict', `agent_id: ${sentence}`)
}
