import { connect } from '@farebox/client/exchange/client-options'
import { AgentUnreachable } from '@farebox/client/exchange/agent-errors'
import { exchange } from '@farebox/client/internal/exchange/exchange'
import { SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import { CommandError } from '../../command-error.ts'
import { printable } from '../../terminal/printable.ts'
import type { World } from '../../world.ts'
import type { MeantAgent } from './find-agent.ts'

const TIMEOUT_MS = 10_000
const MOST_BYTES = 4_096

/** What `GET /spender` of an agent answers. */
interface SpenderAnswer {
  /** Decimal. */
  readonly agentId: string
  readonly spender: string
  readonly chainId: number
  readonly contract: string
}

/**
 * The account that an agent spends from, as it says itself: `GET /spender`, at most 4 KB within 10 s. It has to name the
 * same agent, chain and contract as the permission.
 *
 * @returns lower-case address
 * @throws {CommandError} where it names none, or answers for something else
 */
export async function readAgentSpender(
  world: World,
  { endpoint, agentId, network }: MeantAgent,
): Promise<string> {
  const url = `${endpoint ?? ''}/spender`
  const answer = await exchange(connect({ signal: world.signal }), {
    url,
    method: 'GET',
    timeoutMs: TIMEOUT_MS,
    maxBytes: MOST_BYTES,
  }).catch((error: unknown) => {
    if (!(error instanceof AgentUnreachable)) throw error
    throw unknownSpender(`the agent at ${printable(endpoint ?? '')}: ${printable(error.message)}`, error)
  })
  if (answer.status === 404) throw unknownSpender('the agent names no account that spends')
  const read = answer.flaw === undefined ? readAnswer(answer.json) : undefined
  if (answer.status !== 200 || read === undefined)
    throw unknownSpender(`the agent’s /spender is not usable (HTTP ${answer.status})`)
  const { agentId: id, chainId, contract, spender } = read
  if (id !== String(agentId))
    throw otherThanMeant(`the agent’s /spender is of agent ${id}, not of agent ${agentId}`)
  if (chainId !== network.chainId)
    throw otherThanMeant(`the agent spends on chain ${chainId}, not on ${network.chainId}`)
  if (contract.toLowerCase() !== SPEND_PERMISSIONS_ADDRESS.toLowerCase())
    throw otherThanMeant(`the agent spends through another contract, ${contract}`)
  if (BigInt(spender) === 0n) throw unknownSpender('the agent names the zero address as its spender')
  return spender.toLowerCase()
}

/** Others may say more than we read; undefined: it is none. */
function readAnswer(json: unknown): SpenderAnswer | undefined {
  if (typeof json !== 'object' || json === null) return undefined
  const { agent_id: id, spender, chain_id: chainId, contract } = json as { readonly [name: string]: unknown }
  const agentId = typeof id === 'number' && Number.isSafeInteger(id) ? String(id) : id
  if (typeof agentId !== 'string' || !/^[1-9]\d{0,77}$/.test(agentId)) return undefined
  if (typeof chainId !== 'number' || !isAddress(spender) || !isAddress(contract)) return undefined
  return { agentId, spender, chainId, contract }
}

function isAddress(value: unknown): value is string {
  return typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value)
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
