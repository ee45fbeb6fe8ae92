import { SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import {
  DOMAIN_SEPARATOR_CALL,
  encodeAllowance,
  encodeNonces,
  encodeTotalLeft,
  PERMIT_TYPEHASH_CALL,
} from '@farebox/contracts/internal/calls/permission-views'
import { encodeBalanceOf, TOTAL_SUPPLY_CALL } from '@farebox/contracts/internal/calls/token-calls'
import { permitTypeHash } from '@farebox/contracts/token-permit'
import { JsonRpcError } from '@farebox/payments/chain/json-rpc'
import { createAuthorizationHasher } from '@farebox/payments/authorization/eip-3009'
import { toHex } from '@farebox/payments/internal/crypto/bytes'
import type { WalletLimits } from '@farebox/platform-api/limits/wallet-limits'
import type { Hex } from 'ox/Hex'
import { readBlock, readHeadNumber } from '../contract-events/read-chain.ts'
import type { PlatformParts } from '../platform-parts.ts'

type ChainParts = Pick<PlatformParts, 'rpc' | 'network' | 'crypto'>

/** The funds and approval behind an owner's permissions, as currently on the chain. */
export type ApprovalNow = Pick<WalletLimits, 'block_time' | 'balance' | 'allowance' | 'total_left' | 'permit'>

/** Reads an owner's funds and approval from the chain. Rejects when the node does not answer. */
export async function readApproval(parts: ChainParts, owner: Hex): Promise<ApprovalNow> {
  const token = parts.network.asset.address as Hex
  const head = await readHeadNumber(parts)
  const [block, balance, allowance, left, permit] = await Promise.all([
    readBlock(parts, head),
    readAmount(parts, token, encodeBalanceOf(owner)),
    readTokenAllowance(parts, owner, SPEND_PERMISSIONS_ADDRESS),
    readAmount(parts, SPEND_PERMISSIONS_ADDRESS, encodeTotalLeft(owner, token)),
    readPermit(parts, token, owner),
  ])
  if (block === undefined) throw new Error(`the node has no block ${head} any more`)
  return {
    block_time: Math.floor(block.atMs / 1_000),
    balance: balance.toString(),
    allowance: allowance.toString(),
    total_left: left.toString(),
    permit,
  }
}

/** The amount of an owner's tokens that a spender may take now, in atomic units. */
export async function readTokenAllowance(
  parts: Pick<ChainParts, 'rpc' | 'network'>,
  owner: Hex,
  spender: Hex,
): Promise<bigint> {
  return await readAmount(parts, parts.network.asset.address as Hex, encodeAllowance(owner, spender))
}

/** The total supply of the token, in atomic units. */
export async function readSupply(parts: Pick<ChainParts, 'rpc' | 'network'>): Promise<bigint> {
  return await readAmount(parts, parts.network.asset.address as Hex, TOTAL_SUPPLY_CALL)
}

/**
 * The next permit. Null unless the token supports EIP-2612 permits under the domain in our table of networks, because a
 * signature for another domain would be invalid.
 */
async function readPermit(parts: ChainParts, token: Hex, owner: Hex): Promise<WalletLimits['permit']> {
  const [separator, typeHash, nonce] = await Promise.all([
    view(parts, token, DOMAIN_SEPARATOR_CALL),
    view(parts, token, PERMIT_TYPEHASH_CALL),
    view(parts, token, encodeNonces(owner)),
  ])
  const ours = toHex(createAuthorizationHasher(parts.crypto, parts.network).domainSeparator)
  if (separator !== ours || typeHash !== permitTypeHash(parts.crypto) || !isWord(nonce)) return null
  const { name, version } = parts.network.asset.domain
  return { name, version, nonce: BigInt(nonce).toString() }
}

async function readAmount(parts: Pick<ChainParts, 'rpc'>, to: Hex, data: Hex): Promise<bigint> {
  const answer = await view(parts, to, data)
  if (!isWord(answer)) throw new Error(`${to} answers no amount`)
  return BigInt(answer)
}

/** `undefined` when the contract refuses the call. */
async function view({ rpc }: Pick<ChainParts, 'rpc'>, to: Hex, data: Hex): Promise<unknown> {
  try {
    const answer = await rpc.call('eth_call', [{ to, data }, 'latest'])
    return typeof answer === 'string' ? answer.toLowerCase() : answer
  } catch (error) {
    if (error instanceof JsonRpcError) return undefined
    throw error
  }
}

function isWord(answer: unknown): answer is Hex {
  return typeof answer === 'string' && /^0x[0-9a-f]{64}$/i.test(answer)
}
