import { SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import { readSpender as readNamedSpender } from '@farebox/payments/internal/x402/spender-extension'
import type { AgentSpender } from '@farebox/platform-api/limits/wallet-limits'
import { calledFor, SPEAKS } from '../agents/agent-row.ts'
import { readAgent } from '../agents/read-agent.ts'
import { Refusal } from '../http/refusal.ts'
import { PROBE_LIMITS } from '../outbound/limits.ts'
import type { PlatformParts } from '../platform-parts.ts'

type SpenderParts = Pick<PlatformParts, 'database' | 'outbound' | 'network'>

const RETRY_AFTER_SECONDS = 10

/**
 * Asks an agent which account it spends from. The 402 response of a capability that declares spending names the account
 * (D45). The agent is asked each time, because a permission for an account it no longer uses would be worthless.
 *
 * @throws {Refusal} `not_found` when the agent is not listed, spends nothing or names no account; `unavailable` when it
 *   does not answer
 */
export async function readSpender(parts: SpenderParts, agentId: number): Promise<AgentSpender> {
  const agent = await readAgent(parts.database, agentId)
  if (agent?.endpoint === undefined || !SPEAKS[agent.standing])
    throw new Refusal('not_found', `agent ${agentId} is not listed here`)
  const [spending] = Object.entries(agent.declaration?.capabilities ?? {}).filter(
    ([, { permissions = [] }]) => permissions.length > 0,
  )
  if (spending === undefined)
    throw new Refusal(
      'not_found',
      'this agent declares no EXECUTE_TRANSACTIONS: it moves nothing of its callers',
    )
  const answer = await parts.outbound.send({
    url: `${agent.endpoint}/execute`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    // Incomplete on purpose: an agent in dev mode would carry out a complete request.
    body: JSON.stringify({ task: { capability: spending[0] } }),
    calledFor: calledFor(agent),
    ...PROBE_LIMITS,
  })
  if (answer.kind !== 'answered' || answer.status !== 402)
    throw new Refusal('unavailable', 'the agent does not say which account it spends from: ask again', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    })
  const named = readNamedSpender(answer.headers['payment-required'], {
    agentId,
    network: parts.network.id,
    contract: SPEND_PERMISSIONS_ADDRESS,
  })
  if (!named.ok) throw new Refusal('not_found', named.reason)
  return { agent_id: agentId, spender: named.spender }
}
