import { addressWord, bytes32Word, countedWords, textDigits, uintWord } from './abi-words.ts'
import { SPEND_PERMISSIONS_ADDRESS } from './addresses.ts'
import type { PermissionKey, SpendPermission } from './permission-typed-data.ts'

/** Calls of an owner to SpendPermissions and to the token, encoded by hand, so that no ABI coder is loaded. */

type Hex = `0x${string}`

/** `set((address,address,address,uint256,string,uint256,uint256,uint256,address[]))`. */
const SET = '0xcf517071'
/** `revoke(address,address,bytes32)`. */
const REVOKE = '0xd96054c4'
/** `permitToken(address,address,uint256,uint256,uint8,bytes32,bytes32)`. */
const PERMIT_TOKEN = '0x9541fe03'
/** `multicall(bytes[])`. */
const MULTICALL = '0xac9650d8'
/** `approve(address,uint256)` of ERC-20. */
const APPROVE = '0x095ea7b3'

const WORD = 32
/** Words before the texts and lists of a permission. */
const PERMISSION_HEAD = 9 * WORD

/** A signed approval of SpendPermissions (EIP-2612). */
export interface SignedPermit {
  readonly token: string
  readonly owner: string
  /** Atomic units. */
  readonly value: bigint
  /** Unix seconds. */
  readonly deadline: bigint
  /** 65 bytes r ‖ s ‖ v as `0x` hex. */
  readonly signature: string
}

/**
 * The data of the transaction that sets a permission, or changes all of it except the spent amount.
 *
 * @example
 * ```ts
 * import { encodeMulticall, encodePermitToken, encodeSet } from '@farebox/contracts/permission-transactions'
 * import type { SpendPermission } from '@farebox/contracts/permission-typed-data'
 * import { permitTypedData } from '@farebox/contracts/token-permit'
 * import type { PrivateKeyAccount } from 'viem'
 *
 * // One transaction for both: the permission, and an approval of exactly what it may move.
 * export async function allow(account: PrivateKeyAccount, permission: SpendPermission, nonce: bigint) {
 *   const { owner, token, cap: value } = permission
 *   const deadline = BigInt(Math.floor(Date.now() / 1_000) + 3_600)
 *   const terms = { chainId: 84532, token, name: 'USDC', version: '2', owner, value, nonce, deadline }
 *   const signature = await account.signTypedData(permitTypedData(terms))
 *   return encodeMulticall([encodePermitToken({ token, owner, value, deadline, signature }), encodeSet(permission)])
 * }
 * ```
 */
export function encodeSet(permission: SpendPermission): Hex {
  const { owner, spender, token, agentId, capability, limit, cap, expiry, recipients } = permission
  const name = countedWords(textDigits(capability))
  const words = [
    uintWord(BigInt(WORD)),
    ...[owner, spender, token].map(addressWord),
    uintWord(agentId),
    uintWord(BigInt(PERMISSION_HEAD)),
    ...[limit, cap, expiry, BigInt(PERMISSION_HEAD + name.length / 2)].map(uintWord),
    name,
    uintWord(BigInt(recipients.length)),
    ...recipients.map(addressWord),
  ]
  return `${SET}${words.join('')}`
}

/** The data of the transaction that ends a permission. */
export function encodeRevoke({ spender, token, scope }: Omit<PermissionKey, 'owner'>): Hex {
  return `${REVOKE}${addressWord(spender)}${addressWord(token)}${bytes32Word(scope)}`
}

/**
 * The call that passes a signed approval of SpendPermissions to the token; an approval that the token refuses is ignored.
 *
 * @throws RangeError when the signature does not have 65 bytes
 */
export function encodePermitToken({ token, owner, value, deadline, signature }: SignedPermit): Hex {
  const digits = signature.slice(2).toLowerCase()
  if (!/^[0-9a-f]{130}$/.test(digits)) throw new RangeError('a permit is signed by 65 bytes')
  const recovery = BigInt(`0x${digits.slice(128)}`)
  const words = [
    addressWord(token),
    addressWord(owner),
    uintWord(value),
    uintWord(deadline),
    // Some wallets count the recovery id from 0; the token requires 27 or 28.
    uintWord(recovery < 27n ? recovery + 27n : recovery),
    digits.slice(0, 128),
  ]
  return `${PERMIT_TOKEN}${words.join('')}`
}

/** Several calls of SpendPermissions in one transaction, all or none. */
export function encodeMulticall(calls: readonly string[]): Hex {
  const parts = calls.map(call => countedWords(call.slice(2)))
  let offset = parts.length * WORD
  const offsets = parts.map(part => {
    const at = uintWord(BigInt(offset))
    offset += part.length / 2
    return at
  })
  return `${MULTICALL}${uintWord(BigInt(WORD))}${uintWord(BigInt(parts.length))}${[...offsets, ...parts].join('')}`
}

/**
 * The token call that sets an allowance to exactly this amount, in atomic units; the default spender is SpendPermissions.
 */
export function encodeApprove(amount: bigint, spender: string = SPEND_PERMISSIONS_ADDRESS): Hex {
  return `${APPROVE}${addressWord(spender)}${uintWord(amount)}`
}
