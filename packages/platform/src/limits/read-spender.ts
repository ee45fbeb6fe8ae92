import { refuseAddress } from '@farebox/payments/crypto/address'
import type { AgentSpender } from '@farebox/platform-api/limits/wallet-limits'
import { SPEAKS } from '../agents/agent-row.ts'
import { readAgent } from '../agents/read-agent.ts'
import { readStorableJson } from '../checking/read-json.ts'
import { Refusal } from '../http/refusal.ts'
import { PROBE_LIMITS } from '../outbound/limits.ts'
import type { PlatformParts } from '../platform-parts.ts'

type SpenderParts = Pick<PlatformParts, 'database' | 'outbound' | 'crypto' | 'network'>

const RETRY_AFTER_SECONDS = 10

/**
 * Asks an agent which account it spends from: `GET /spender` at its endpoint. Asked each time, because a permission for an
 * account that the agent has no more is worth nothing.
 *
 * @throws {Refusal} `not_found` where the agent is not listed, spends nothing or names no account; `unavailable` where it
 * does not answer
 */
export async function readSpender(parts: SpenderParts, agentId: number): Promise<AgentSpender> {
  const agent = await readAgent(parts.database, agentId)
  if (agent?.endpoint === undefined || !SPEAKS[agent.standing])
    throw new Refusal('not_found', `agent ${agentId} is not listed here`)
  const capabilities = Object.values(agent.declaration?.capabilities ?? {})
  if (!capabilities.some(({ permissions = [] }) => permissions.length > 0))
    throw new Refusal(
      'not_found',
      'this agent declares no EXECUTE_TRANSACTIONS: it moves nothing of its callers',
    )
  const answer = await parts.outbound.send({
    url: `${agent.endpoint}/spender`,
    method: 'GET',
    ...PROBE_LIMITS,
  })
  if (answer.kind === 'answered' && answer.status === 404)
    throw new Refusal('not_found', 'this agent names no account that it spends from')
  if (answer.kind !== 'answered' || answer.status !== 200)
    throw new Refusal('unavailable', 'the agent does not say which account it spends from: ask again', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    })
  const problem = 'the agent does not say in a usable way which account it spends from'
  const json = readStorableJson(answer.body)
  const said = json.ok && typeof json.value === 'object' && json.value !== null ? json.value : {}
  const { agent_id: id, spender, chain_id: chainId } = said as { readonly [key: string]: unknown }
  if (chainId !== parts.network.chainId) throw new Refusal('not_found', `${problem}: it is on another chain`)
  if (id !== String(agentId))
    throw new Refusal('not_found', `${problem}: its AGENT_ID is not ${agentId}, so it could not spend`)
  if (typeof spender !== 'string' || refuseAddress(parts.crypto, spender) !== undefined)
    throw new Refusal('not_found', problem)
  return { agent_id: agentId, spender: spender.toLowerCase() }
}
