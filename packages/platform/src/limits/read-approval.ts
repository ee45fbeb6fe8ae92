import { SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import { spendPermissionsAbi } from '@farebox/contracts/spend-permissions'
import { JsonRpcError } from '@farebox/payments/chain/json-rpc'
import { createAuthorizationHasher } from '@farebox/payments/authorization/eip-3009'
import { toHex } from '@farebox/payments/internal/crypto/bytes'
import type { WalletLimits } from '@farebox/platform-api/limits/wallet-limits'
import * as AbiFunction from 'ox/AbiFunction'
import { fromString, type Hex } from 'ox/Hex'
import { keccak256 } from 'ox/Hash'
import { readBlock, readHead } from '../contract-events/read-chain.ts'
import type { PlatformParts } from '../platform-parts.ts'

type ChainParts = Pick<PlatformParts, 'rpc' | 'network' | 'crypto'>

/** What stands behind an owner's permissions, as the chain has it now. */
export type ApprovalNow = Pick<WalletLimits, 'block_time' | 'balance' | 'allowance' | 'total_left' | 'permit'>

const BALANCE_OF = AbiFunction.from('function balanceOf(address) view returns (uint256)')
const ALLOWANCE = AbiFunction.from('function allowance(address, address) view returns (uint256)')
const TOTAL_SUPPLY = AbiFunction.from('function totalSupply() view returns (uint256)')
const DOMAIN_SEPARATOR = AbiFunction.from('function DOMAIN_SEPARATOR() view returns (bytes32)')
const PERMIT_TYPEHASH = AbiFunction.from('function PERMIT_TYPEHASH() view returns (bytes32)')
const NONCES = AbiFunction.from('function nonces(address) view returns (uint256)')
/** The struct of EIP-2612. */
const PERMIT_TYPE = 'Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)'
const PERMIT_TYPE_HASH = keccak256(fromString(PERMIT_TYPE))

/** Reads it. Rejects where the node does not answer. */
export async function readApproval(parts: ChainParts, owner: Hex): Promise<ApprovalNow> {
  const token = parts.network.asset.address as Hex
  const head = await readHead(parts)
  const [block, balance, allowance, left, permit] = await Promise.all([
    readBlock(parts, head),
    readAmount(parts, token, AbiFunction.encodeData(BALANCE_OF, [owner])),
    readAllowance(parts, owner, SPEND_PERMISSIONS_ADDRESS),
    readAmount(
      parts,
      SPEND_PERMISSIONS_ADDRESS,
      AbiFunction.encodeData(spendPermissionsAbi, 'totalLeft', [owner, token]),
    ),
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

/** What of an owner's tokens a spender may take now, in atomic units. */
export async function readAllowance(
  parts: Pick<ChainParts, 'rpc' | 'network'>,
  owner: Hex,
  spender: Hex,
): Promise<bigint> {
  const data = AbiFunction.encodeData(ALLOWANCE, [owner, spender])
  return await readAmount(parts, parts.network.asset.address as Hex, data)
}

/** How much there is of the token, in atomic units. */
export async function readSupply(parts: Pick<ChainParts, 'rpc' | 'network'>): Promise<bigint> {
  const data = AbiFunction.encodeData(TOTAL_SUPPLY)
  return await readAmount(parts, parts.network.asset.address as Hex, data)
}

/**
 * The next permit, where the token takes EIP-2612 permits under the domain of our table of networks: what is signed under
 * another one is worth nothing.
 */
async function readPermit(parts: ChainParts, token: Hex, owner: Hex): Promise<WalletLimits['permit']> {
  const [separator, typeHash, nonce] = await Promise.all([
    view(parts, token, AbiFunction.encodeData(DOMAIN_SEPARATOR)),
    view(parts, token, AbiFunction.encodeData(PERMIT_TYPEHASH)),
    view(parts, token, AbiFunction.encodeData(NONCES, [owner])),
  ])
  const ours = toHex(createAuthorizationHasher(parts.crypto, parts.network).domainSeparator)
  if (separator !== ours || typeHash !== PERMIT_TYPE_HASH || !isWord(nonce)) return null
  const { name, version } = parts.network.asset.domain
  return { name, version, nonce: BigInt(nonce).toString() }
}

async function readAmount(parts: Pick<ChainParts, 'rpc'>, to: Hex, data: Hex): Promise<bigint> {
  const answer = await view(parts, to, data)
  if (!isWord(answer)) throw new Error(`${to} answers no amount`)
  return BigInt(answer)
}

/** Undefined where the contract refuses. */
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
