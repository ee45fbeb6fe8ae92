import { SPEND_PERMISSIONS_ADDRESS } from './addresses.ts'

type Hex = `0x${string}`

/** The terms of a permission, set by its owner: the struct that `set` and `setBySig` of SpendPermissions take. */
export interface SpendPermission {
  readonly owner: Hex
  /** The account that may spend. */
  readonly spender: Hex
  readonly token: Hex
  /** The agent's id in the registry; with the capability, the purpose of the permission. */
  readonly agentId: bigint
  readonly capability: string
  /** The most that one spend may move, in atomic units. */
  readonly limit: bigint
  /** The most that all spends may move since the permission was first set, in atomic units. */
  readonly cap: bigint
  /** Unix seconds: the first time at which nothing can be spent. */
  readonly expiry: bigint
  /** Empty: any recipient. At most 16. */
  readonly recipients: readonly Hex[]
}

/** Identifies one of an owner's permissions. */
export interface PermissionKey extends Pick<SpendPermission, 'owner' | 'spender' | 'token'> {
  /** `scopeOf` of the agent and the capability. */
  readonly scope: Hex
}

/** Nonce and deadline of a signature: it can be used once, until the deadline. */
export interface SignedOnce {
  /** `statusOf(id).nonce` of the permission concerned. */
  readonly nonce: bigint
  /** Unix seconds: the last time at which the signature is accepted. */
  readonly deadline: bigint
}

/** EIP-712 types of the messages that an owner can sign for SpendPermissions. */
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
 * @param chainId - the chain of the permission; the signature is valid on no other
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
