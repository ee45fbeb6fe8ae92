import { objectOf } from '@farebox/protocol/internal/guards/json'
import {
  AGENT_REGISTERED_TOPIC,
  encodeEndpointOf,
  encodeOwnerOf,
  LAST_AGENT_ID_CALL,
  STAKE_CALL,
} from '@farebox/contracts/internal/calls/registry-calls'
import type { ChainReceipt } from '@farebox/payments/chain/chain-receipt'
import { type JsonRpc, JsonRpcError } from '@farebox/payments/chain/json-rpc'
import type { OpenChain } from '../../chain/open-chain.ts'
import { CommandError } from '../../command-error.ts'
import { fromHex, toHex } from '@farebox/payments/internal/crypto/bytes'

const TIMEOUT_MS = 10_000

/** The node did not respond, so it is unknown whether the request was executed. */
class NodeUnreachable extends CommandError {}

/**
 * Calls the node. Rejects with a `JsonRpcError` when it refuses, and with {@link NodeUnreachable} when it does not respond.
 */
async function callNode(
  { rpc, network }: OpenChain,
  method: string,
  parameters: readonly unknown[],
): Promise<unknown> {
  try {
    return await rpc.call(method, parameters, { timeoutMs: TIMEOUT_MS })
  } catch (error) {
    if (error instanceof JsonRpcError) throw error
    const next = 'run the same command again, or name another node: --rpc-url <url>'
    throw new NodeUnreachable(`the node of ${network.name} does not answer`, next, { cause: error })
  }
}

/** The node in the form in which the code for transactions uses it; it rejects like {@link callNode}. */
export function nodeOf(chain: OpenChain): Pick<JsonRpc, 'call'> {
  return { call: (method, parameters) => callNode(chain, method, parameters) }
}

/** Returns the hash of the chain's first block, which identifies a chain when several use the same id. */
export async function readFirstBlock(chain: OpenChain): Promise<string> {
  return String(objectOf(await callNode(chain, 'eth_getBlockByNumber', ['0x0', false]))['hash'])
}

/** Returns the number under which a transaction registered an agent, or `undefined` when it registered none. */
export function registeredAgentId({ logs }: ChainReceipt): number | undefined {
  const registered = logs.find(({ topics: [topic] }) => topic === AGENT_REGISTERED_TOPIC)
  return registered === undefined ? undefined : Number(readNumber(registered.topics[1]))
}

/** Returns the stake that the registry at an address requires, in wei, or `undefined` when there is no registry. */
export async function readRegistryStake(chain: OpenChain, registry: string): Promise<bigint | undefined> {
  const answer = await callView(chain, registry, STAKE_CALL)
  return answer === undefined || !/^0x[0-9a-f]{64}$/i.test(answer) ? undefined : BigInt(answer)
}

/** Returns the owner of an agent's token, lower case, or `undefined` when there is none. */
export async function readOwner(
  chain: OpenChain,
  registry: string,
  agentId: number,
): Promise<string | undefined> {
  const answer = await callView(chain, registry, encodeOwnerOf(agentId))
  return answer === undefined || !/^0x0{24}[0-9a-f]{40}$/i.test(answer)
    ? undefined
    : `0x${answer.slice(-40).toLowerCase()}`
}

/** Returns whether an agent with this number ever existed: numbers are assigned consecutively and only once. */
export async function wasRegistered(chain: OpenChain, registry: string, agentId: number): Promise<boolean> {
  const answer = await callView(chain, registry, LAST_AGENT_ID_CALL)
  return answer !== undefined && /^0x[0-9a-f]{64}$/i.test(answer) && BigInt(agentId) <= BigInt(answer)
}

/** Returns whether the node knows a transaction, in a block or pending. */
export async function isKnown(chain: OpenChain, hash: string): Promise<boolean> {
  return (await callNode(chain, 'eth_getTransactionByHash', [hash])) !== null
}

/** Returns the endpoint of an agent, or `undefined` when the agent does not exist. */
export async function readEndpointOf(
  chain: OpenChain,
  registry: string,
  agentId: number,
): Promise<string | undefined> {
  const answer = await callView(chain, registry, encodeEndpointOf(agentId))
  return answer === undefined ? undefined : readText(answer)
}

/**
 * Finds the agent that an owner registered with an endpoint. Returns `undefined` when there is none, or when the node does
 * not provide logs from the beginning.
 */
export async function findAgentId(
  chain: OpenChain,
  registry: string,
  wanted: { readonly owner: string; readonly endpoint: string },
): Promise<number | undefined> {
  const { owner, endpoint } = wanted
  const topics = [AGENT_REGISTERED_TOPIC, null, `0x${owner.slice(2).padStart(64, '0')}`]
  const filter = { address: registry, fromBlock: '0x0', toBlock: 'latest', topics }
  const logs = await callNode(chain, 'eth_getLogs', [filter]).catch((error: unknown) => {
    if (error instanceof JsonRpcError) return []
    throw error
  })
  for (const log of Array.isArray(logs) ? logs.toReversed() : []) {
    const agentId = Number(readNumber(topicsOf(log)[1]))
    if ((await readOwner(chain, registry, agentId)) !== owner) continue
    if ((await readEndpointOf(chain, registry, agentId)) === endpoint) return agentId
  }
  return undefined
}

/** Returns `undefined` when the contract reverts. */
async function callView(chain: OpenChain, to: string, data: string): Promise<string | undefined> {
  try {
    return String(await callNode(chain, 'eth_call', [{ to, data }, 'latest']))
  } catch (error) {
    if (error instanceof JsonRpcError) return undefined
    throw error
  }
}

function readNumber(value: unknown): bigint {
  if (typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value)) return BigInt(value)
  throw new Error('the node gave no number where there should be one')
}

function topicsOf(log: unknown): readonly unknown[] {
  const { topics } = objectOf(log)
  return Array.isArray(topics) ? topics : []
}

const WORD = 32

/** Decodes a result that is a single text; returns `undefined` for any other result. */
function readText(answer: string): string | undefined {
  if (!/^0x(?:[0-9a-f]{64}){2,}$/i.test(answer)) return undefined
  const bytes = fromHex(answer)
  const length = Number(BigInt(toHex(bytes.subarray(WORD, 2 * WORD))))
  return 2 * WORD + length <= bytes.length
    ? new TextDecoder().decode(bytes.subarray(2 * WORD, 2 * WORD + length))
    : undefined
}
