import { SPEND_PERMISSIONS_ADDRESS } from './addresses.ts'

type Hex = `0x${string}`

/** The terms that an owner decides: the struct that `set` and `setBySig` of SpendPermissions take. */
export interface SpendPermission {
  readonly owner: Hex
  /** The account that may spend. */
  readonly spender: Hex
  readonly token: Hex
  /** The agent's id in the registry, and one of its capabilities: what the permission is for. */
  readonly agentId: bigint
  readonly capability: string
  /** The most that one spend may move, in atomic units. */
  readonly limit: bigint
  /** The most that all spends may move since the permission was first set, in atomic units. */
  readonly cap: bigint
  /** Unix seconds: the first at which nothing can be spent. */
  readonly expiry: bigint
  /** Empty: any recipient. At most 16. */
  readonly recipients: readonly Hex[]
}

/** Which permission is meant, of those of an owner. */
export interface PermissionKey extends Pick<SpendPermission, 'owner' | 'spender' | 'token'> {
  /** `scopeOf` the agent and the capability. */
  readonly scope: Hex
}

/** Nonce and deadline of a signature: good once, and for a while. */
export interface SignedOnce {
  /** `statusOf(id).nonce` of the permission that is signed for. */
  readonly nonce: bigint
  /** Unix seconds: the last at which it may be brought. */
  readonly deadline: bigint
}

/** EIP-712 types of what an owner can sign for SpendPermissions. */
export const PERMISSION_TYPES = {
  Permission: [
    { name: 'owner', type: 'address' },
    { name: 'spender', type: 'address' },
    { name: 'token', type: 'address' },
    { name: 'agentId', type: 'uint256' },
    { name: 'capability', type: 'string' },
    { name: 'limit', type: 'uint256' },
    { name: 'cap', type: 'uint256' },
    { name: 'expiry', type: 'uint256' },
    { name: 'recipients', type: 'address[]' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
  Revocation: [
    { name: 'owner', type: 'address' },
    { name: 'spender', type: 'address' },
    { name: 'token', type: 'address' },
    { name: 'scope', type: 'bytes32' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const

/**
 * The typed data that an owner signs for `setBySig` (EIP-712).
 *
 * @param chainId - of the chain that the permission is for; it is good on no other
 * @example
 * ```ts
 * import { permissionTypedData, type SpendPermission } from '@farebox/contracts/permission-typed-data'
 * import type { PrivateKeyAccount } from 'viem'
 *
 * export async function sign(account: PrivateKeyAccount, permission: SpendPermission, nonce: bigint) {
 *   const deadline = BigInt(Math.floor(Date.now() / 1_000) + 600)
 *   return await account.signTypedData(permissionTypedData(84532, permission, { nonce, deadline }))
 * }
 * ```
 */
export function permissionTypedData(chainId: number, permission: SpendPermission, once: SignedOnce) {
  return {
    domain: domainOf(chainId),
    types: { Permission: PERMISSION_TYPES.Permission },
    primaryType: 'Permission',
    message: { ...permission, ...once },
  } as const
}

/** The typed data that an owner signs for `revokeBySig` (EIP-712). */
export function revocationTypedData(chainId: number, key: PermissionKey, once: SignedOnce) {
  return {
    domain: domainOf(chainId),
    types: { Revocation: PERMISSION_TYPES.Revocation },
    primaryType: 'Revocation',
    message: { ...key, ...once },
  } as const
}

function domainOf(chainId: number) {
  return {
    name: 'Farebox Spend Permissions',
    version: '1',
    chainId,
    verifyingContract: SPEND_PERMISSIONS_ADDRESS,
  } as const
}
