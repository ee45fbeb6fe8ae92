import type { SpendPermissionView } from '@farebox/platform-api/limits/wallet-limits'

/** A permission as the contract has it. */
export interface OnChainPermission {
  /** Zero: never set, or revoked. */
  readonly limit: bigint
  readonly spent: bigint
  readonly left: bigint
  /** Unix seconds. */
  readonly expiry: bigint
  readonly nonce: bigint
  readonly isListed: boolean
  /** Tokens may go to each recipient of the plan. */
  readonly takesRecipients: boolean
}

/** A permission of a plan, and how the chain has to have it for the plan to be right. */
export interface PlannedPermission {
  readonly spender: string
  readonly token: string
  /** As the contract names it, or what it is made of. */
  readonly scope: string | { readonly agentId: number; readonly capability: string }
  readonly recipients: readonly string[]
  /** The amount that it has left is counted in the total. */
  readonly isCounted: boolean
  /** Values that are not named here may be any. */
  readonly expected: Partial<OnChainPermission>
}

/** The state that a plan was made from, as the page has it; in atomic units. */
export interface PlannedFrom {
  readonly totalLeft: bigint
  readonly allowance: bigint
  readonly permission: PlannedPermission | undefined
  /** Nothing is permitted by it that was not before. */
  readonly onlyTakesBack: boolean
}

/** The state on the chain of a permission that the page shows rightly. A revoked one is kept without its terms. */
export function expectedOf(permission: SpendPermissionView | undefined): Partial<OnChainPermission> {
  if (permission === undefined) return { limit: 0n, spent: 0n, left: 0n }
  const { spent, left, nonce, limit, expires_at: end, recipients } = permission
  const kept = { spent: BigInt(spent), left: BigInt(left), nonce: BigInt(nonce) }
  if (permission.state === 'revoked') return { ...kept, limit: 0n }
  const isListed = recipients.length > 0
  return { ...kept, limit: BigInt(limit), expiry: BigInt(end), isListed, takesRecipients: true }
}
