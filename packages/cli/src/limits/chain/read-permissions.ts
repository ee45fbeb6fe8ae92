import { SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import {
  encodeAllowance,
  encodePermissionsOf,
  encodeStatusOf,
  encodeTotalLeft,
  type PermissionStatus,
  readStatusOf,
  readWords,
} from '@farebox/contracts/internal/calls/permission-views'
import { JsonRpcError } from '@farebox/payments/chain/json-rpc'
import type { OpenChain } from '../../chain/open-chain.ts'
import { CommandError } from '../../command-error.ts'
import { nodeOf } from '../../register/registry/call-node.ts'

/** The values that all permissions of an owner in a token share, in atomic units. */
export interface Approval {
  readonly allowance: bigint
  /** What remains of all permissions, which the allowance should equal. */
  readonly totalLeft: bigint
}

/** `pending` includes transactions that were sent and are not in a block yet. */
type BlockTag = 'latest' | 'pending'

/** Returns whether SpendPermissions is deployed on this chain. Its address determines its code (decision 36). */
export async function hasSpendPermissions(chain: OpenChain): Promise<boolean> {
  const code = await nodeOf(chain).call('eth_getCode', [SPEND_PERMISSIONS_ADDRESS, 'latest'])
  return typeof code === 'string' && code.length > 2
}

export async function readPermissionStatus(
  chain: OpenChain,
  id: string,
  at: BlockTag = 'latest',
): Promise<PermissionStatus> {
  const status = readStatusOf(await askPermissions(chain, encodeStatusOf(id), at))
  if (status === undefined) throw notThere(chain)
  return status
}

export async function readTokenApproval(chain: OpenChain, owner: string, at: BlockTag): Promise<Approval> {
  const token = chain.network.asset.address
  const [[allowance], [totalLeft]] = await Promise.all([
    askView(chain, token, encodeAllowance(owner), at).then(readWords),
    askPermissions(chain, encodeTotalLeft(owner, token), at).then(readWords),
  ])
  if (allowance === undefined || totalLeft === undefined) throw notThere(chain)
  return { allowance, totalLeft }
}

/**
 * Returns the ids of an owner's permissions in the chain's token that are currently set, lower case, including expired
 * ones.
 */
export async function readIds(chain: OpenChain, owner: string): Promise<readonly string[]> {
  const answer = await askPermissions(chain, encodePermissionsOf(owner, chain.network.asset.address))
  const [, , ...ids] = readWords(answer)
  return ids.map(id => `0x${id.toString(16).padStart(64, '0')}`)
}

/** Returns the Unix seconds of the newest block, with which the chain compares an end. */
export async function readChainSeconds(chain: OpenChain): Promise<number> {
  const block = await nodeOf(chain).call('eth_getBlockByNumber', ['latest', false])
  const timestamp =
    typeof block === 'object' && block !== null && 'timestamp' in block ? block.timestamp : undefined
  if (typeof timestamp === 'string' && /^0x[0-9a-f]{1,13}$/i.test(timestamp)) return Number(timestamp)
  throw new CommandError(`the node of ${chain.network.name} tells no time`, 'name another: --rpc-url <url>')
}

/** Calls a view; returns `undefined` when the contract reverts or does not exist. */
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

function notThere({ network }: OpenChain): CommandError {
  return new CommandError(
    `the node of ${network.name} does not answer for spend limits`,
    'run the same command again, or name another node: --rpc-url <url>',
  )
}
