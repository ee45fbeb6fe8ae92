import { connect } from '@farebox/client/exchange/client-options'
import { AgentUnreachable } from '@farebox/client/exchange/agent-errors'
import { exchange } from '@farebox/client/internal/exchange/exchange'
import { SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import { readSpender } from '@farebox/payments/internal/x402/spender-extension'
import { CommandError } from '../../command-error.ts'
import { printable } from '../../terminal/text.ts'
import type { World } from '../../world.ts'
import type { MeantAgent } from './find-agent.ts'

const TIMEOUT_MS = 10_000
const MOST_BYTES = 65_536

/**
 * The account that an agent spends from, as it says itself where it is asked for the price of a capability. It has to name
 * the same agent, chain and contract as the permission.
 *
 * @returns lower-case address
 */
export async function readAgentSpender(
  world: World,
  { endpoint, agentId, network }: MeantAgent,
  capability: string,
): Promise<string> {
  const answer = await exchange(connect({ signal: world.signal }), {
    url: `${endpoint ?? ''}/execute`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    // Nothing else: a whole request would be done by an agent in dev mode.
    body: JSON.stringify({ task: { capability } }),
    timeoutMs: TIMEOUT_MS,
    maxBytes: MOST_BYTES,
  }).catch((error: unknown) => {
    if (!(error instanceof AgentUnreachable)) throw error
    throw unknownSpender(`the agent at ${printable(endpoint ?? '')}: ${printable(error.message)}`, error)
  })
  if (answer.status !== 402)
    throw unknownSpender(`the agent does not say what ${printable(capability)} costs (HTTP ${answer.status})`)
  const named = readSpender(answer.headers.get('payment-required'), {
    agentId,
    network: network.id,
    contract: SPEND_PERMISSIONS_ADDRESS,
  })
  if (named.ok) return named.spender
  throw named.kind === 'other' ? otherThanMeant(named.reason) : unknownSpender(named.reason)
}

function unknownSpender(what: string, cause?: unknown): CommandError {
  return new CommandError(
    what,
    'a permission names the account that sends the agent’s transactions: where you know it, give it as --spender 0x…',
    { cause },
  )
}

function otherThanMeant(what: string): CommandError {
  return new CommandError(
    what,
    'nothing was signed; the operator of the agent has to correct its AGENT_ID or chain',
  )
}
