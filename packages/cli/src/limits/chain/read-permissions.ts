import { SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import { JsonRpcError } from '@farebox/payments/chain/json-rpc'
import { encodeCall, hexWord, type Hash } from '../../chain/encode-call.ts'
import type { OpenChain } from '../../chain/open-chain.ts'
import { CommandError } from '../../command-error.ts'
import { nodeOf } from '../../register/registry/call-node.ts'

/** How a permission is on the chain; amounts in atomic units. */
export interface PermissionStatus {
  /** Zero: never set, or revoked. */
  readonly limit: bigint
  readonly cap: bigint
  readonly spent: bigint
  /** Unix seconds. */
  readonly expiry: bigint
  /** How often it was set or revoked. */
  readonly nonce: bigint
}

/** What all permissions of an owner in a token share; in atomic units. */
export interface Approval {
  /** What the token lets SpendPermissions take. */
  readonly allowance: bigint
  /** What is left of all permissions: what the allowance should be. */
  readonly totalLeft: bigint
}

/** `pending`: with what is sent and in no block yet. */
type BlockTag = 'latest' | 'pending'

/** Whether SpendPermissions is on this chain. Its address says what its code is (decision 36). */
export async function hasSpendPermissions(chain: OpenChain): Promise<boolean> {
  const code = await nodeOf(chain).call('eth_getCode', [SPEND_PERMISSIONS_ADDRESS, 'latest'])
  return typeof code === 'string' && code.length > 2
}

/** Reads one permission. */
export async function readStatus(
  chain: OpenChain,
  hash: Hash,
  id: string,
  at: BlockTag = 'latest',
): Promise<PermissionStatus> {
  const answer = await askPermissions(chain, encodeCall(hash, 'statusOf(bytes32)', [hexWord(id)]), at)
  const [limit, cap, spent, expiry, nonce] = wordsOf(answer)
  if (
    limit === undefined ||
    cap === undefined ||
    spent === undefined ||
    expiry === undefined ||
    nonce === undefined
  )
    throw notThere(chain)
  return { limit, cap, spent, expiry, nonce }
}

/** Reads what the token lets SpendPermissions take of an owner's, and what it should. */
export async function readApproval(
  chain: OpenChain,
  hash: Hash,
  owner: string,
  at: BlockTag,
): Promise<Approval> {
  const token = chain.network.asset.address
  const [allowance, totalLeft] = await Promise.all([
    askView(
      chain,
      token,
      encodeCall(hash, 'allowance(address,address)', [hexWord(owner), hexWord(SPEND_PERMISSIONS_ADDRESS)]),
      at,
    ),
    askView(
      chain,
      SPEND_PERMISSIONS_ADDRESS,
      encodeCall(hash, 'totalLeft(address,address)', [hexWord(owner), hexWord(token)]),
      at,
    ),
  ])
  return { allowance: numberOf(chain, allowance), totalLeft: numberOf(chain, totalLeft) }
}

/** Ids of an owner's permissions in the chain's token that are set now, lower case; expired ones among them. */
export async function readIds(chain: OpenChain, hash: Hash, owner: string): Promise<readonly string[]> {
  const parameters = [hexWord(owner), hexWord(chain.network.asset.address)]
  const answer = await askPermissions(chain, encodeCall(hash, 'permissionsOf(address,address)', parameters))
  const [, , ...ids] = wordsOf(answer)
  return ids.map(id => `0x${id.toString(16).padStart(64, '0')}`)
}

/** Unix seconds of the newest block: what the chain holds an end against. */
export async function readChainSeconds(chain: OpenChain): Promise<number> {
  const block = await nodeOf(chain).call('eth_getBlockByNumber', ['latest', false])
  const timestamp =
    typeof block === 'object' && block !== null && 'timestamp' in block ? block.timestamp : undefined
  if (typeof timestamp === 'string' && /^0x[0-9a-f]{1,13}$/i.test(timestamp)) return Number(timestamp)
  throw new CommandError(`the node of ${chain.network.name} tells no time`, 'name another: --rpc-url <url>')
}

/** What a view answers; undefined where the contract refuses or there is none. */
export async function askView(
  chain: OpenChain,
  to: string,
  callData: string,
  at: BlockTag = 'latest',
): Promise<string | undefined> {
  try {
    const answer = await nodeOf(chain).call('eth_call', [{ to, data: callData }, at])
    return typeof answer === 'string' && answer !== '0x' ? answer : undefined
  } catch (error) {
    if (error instanceof JsonRpcError) return undefined
    throw error
  }
}

async function askPermissions(chain: OpenChain, callData: string, at: BlockTag = 'latest'): Promise<string> {
  const answer = await askView(chain, SPEND_PERMISSIONS_ADDRESS, callData, at)
  if (answer === undefined) throw notThere(chain)
  return answer
}

/** Words of an answer as numbers. */
function wordsOf(answer: string): readonly bigint[] {
  return (answer.slice(2).match(/[0-9a-f]{64}/gi) ?? []).map(word => BigInt(`0x${word}`))
}

function numberOf(chain: OpenChain, answer: string | undefined): bigint {
  const [number] = answer === undefined ? [] : wordsOf(answer)
  if (number === undefined) throw notThere(chain)
  return number
}

function notThere({ network }: OpenChain): CommandError {
  return new CommandError(
    `the node of ${network.name} does not tell what is allowed`,
    'run the same command again, or name another node: --rpc-url <url>',
  )
}
