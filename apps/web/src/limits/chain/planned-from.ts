import type { SpendPermissionView } from '@farebox/platform-api/limits/wallet-limits'

/** A permission as stored in the contract. */
export interface OnChainPermission {
  /** Zero when it was never set or has been revoked. */
  readonly limit: bigint
  readonly spent: bigint
  readonly left: bigint
  /** Unix seconds. */
  readonly expiry: bigint
  readonly nonce: bigint
  readonly isListed: boolean
  /** Whether tokens may go to each recipient of the plan. */
  readonly takesRecipients: boolean
}

/** A permission of a plan, and the state on the chain for which the plan is correct. */
export interface PlannedPermission {
  readonly spender: string
  readonly token: string
  /** The scope as the contract names it, or the parts from which it is derived. */
  readonly scope: string | { readonly agentId: number; readonly capability: string }
  readonly recipients: readonly string[]
  /** Whether its remaining amount is included in the total. */
  readonly isCounted: boolean
  /** Properties that are missing here may have any value. */
  readonly expected: Partial<OnChainPermission>
}

/** The state from which a plan was made, as shown on the page; amounts in atomic units. */
export interface PlannedFrom {
  readonly totalLeft: bigint
  readonly allowance: bigint
  readonly permission: PlannedPermission | undefined
  /** Whether the plan permits nothing that was not permitted before. */
  readonly onlyTakesBack: boolean
}

/** The expected state of a permission on the chain. The contract does not keep the terms of a revoked permission. */
export function expectedOf(permission: SpendPermissionView | undefined): Partial<OnChainPermission> {
  if (permission === undefined) return { limit: 0n, spent: 0n, left: 0n }
  const { spent, left, nonce, limit, expires_at: end, recipients } = permission
  const kept = { spent: BigInt(spent), left: BigInt(left), nonce: BigInt(nonce) }
  if (permission.state === 'revoked') return { ...kept, limit: 0n }
  const isListed = recipients.length > 0
  return { ...kept, limit: BigInt(limit), expiry: BigInt(end), isListed, takesRecipients: true }
}
