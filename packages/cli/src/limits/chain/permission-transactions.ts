import { SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import type { SpendPermission } from '@farebox/contracts/permission-typed-data'
import { concatBytes, fromHex } from '@farebox/payments/internal/crypto/bytes'
import { countedBytes, encodeCall, hexWord, textBytes, uintWord, type Hash } from '../../chain/encode-call.ts'

/** What an owner sends to SpendPermissions and to the token, encoded by hand: no ABI coder is loaded. */

/** Which permission is revoked; lower-case addresses and hex. */
export interface Revoked {
  readonly spender: string
  readonly token: string
  readonly scope: string
}

/** A signed EIP-2612 permit. */
export interface SignedPermit {
  readonly token: string
  readonly owner: string
  /** Atomic units. */
  readonly value: bigint
  /** Unix seconds. */
  readonly deadline: bigint
  /** 65 bytes r ‖ s ‖ v. */
  readonly signature: Uint8Array
}

const WORD = 32
const SET = 'set((address,address,address,uint256,string,uint256,uint256,uint256,address[]))'
/** Words before the texts and lists of a permission. */
const PERMISSION_HEAD = 9 * WORD

/** The call that sets a permission, or changes all of it but what was spent. */
export function setCall(hash: Hash, permission: SpendPermission): string {
  const { owner, spender, token, agentId, capability, limit, cap, expiry, recipients } = permission
  const name = textBytes(capability)
  return encodeCall(hash, SET, [
    uintWord(BigInt(WORD)),
    ...[owner, spender, token].map(hexWord),
    uintWord(agentId),
    uintWord(BigInt(PERMISSION_HEAD)),
    ...[limit, cap, expiry, BigInt(PERMISSION_HEAD + name.length)].map(uintWord),
    name,
    uintWord(BigInt(recipients.length)),
    ...recipients.map(hexWord),
  ])
}

/** The call that ends a permission. */
export function revokeCall(hash: Hash, { spender, token, scope }: Revoked): string {
  return encodeCall(hash, 'revoke(address,address,bytes32)', [spender, token, scope].map(hexWord))
}

/** The call that hands the token a signed allowance for SpendPermissions; one that the token refuses is passed over. */
export function permitTokenCall(
  hash: Hash,
  { token, owner, value, deadline, signature }: SignedPermit,
): string {
  return encodeCall(hash, 'permitToken(address,address,uint256,uint256,uint8,bytes32,bytes32)', [
    hexWord(token),
    hexWord(owner),
    uintWord(value),
    uintWord(deadline),
    uintWord(BigInt(signature[2 * WORD] ?? 0)),
    signature.slice(0, WORD),
    signature.slice(WORD, 2 * WORD),
  ])
}

/** Several calls of SpendPermissions in one transaction, all or none. */
export function multicallCall(hash: Hash, calls: readonly string[]): string {
  const parts = calls.map(call => countedBytes(fromHex(call)))
  let offset = parts.length * WORD
  const offsets = parts.map(part => {
    const at = uintWord(BigInt(offset))
    offset += part.length
    return at
  })
  const count = uintWord(BigInt(parts.length))
  return encodeCall(hash, 'multicall(bytes[])', [
    uintWord(BigInt(WORD)),
    count,
    concatBytes(...offsets, ...parts),
  ])
}

/** The call of the token that makes the allowance of SpendPermissions exactly this, in atomic units. */
export function approveCall(hash: Hash, amount: bigint): string {
  return encodeCall(hash, 'approve(address,uint256)', [hexWord(SPEND_PERMISSIONS_ADDRESS), uintWord(amount)])
}
