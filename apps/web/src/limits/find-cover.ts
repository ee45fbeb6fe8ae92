import type { SpendPermissionView, WalletLimits } from '@farebox/platform-api/limits/wallet-limits'

/** Whether a permission lets a capability move tokens now. */
export type Cover =
  /**
   * A live permission exists. `isShort`: the approval behind it, or the balance of the wallet, is lower than its remaining
   * amount.
   */
  | {
      readonly kind: 'covered'
      readonly permission: SpendPermissionView
      readonly isShort: 'approval' | 'wallet' | undefined
    }
  /** There was a permission, but it is no longer live. */
  | { readonly kind: 'over'; readonly permission: SpendPermissionView }
  | { readonly kind: 'none' }

/** The permissions of a capability in the platform's token, live ones first. */
export function permissionsOf(
  limits: WalletLimits,
  agentId: number,
  capability: string,
): readonly SpendPermissionView[] {
  return limits.permissions.filter(
    one =>
      one.agent_id === String(agentId) && one.capability === capability && one.token === limits.token.address,
  )
}

/**
 * Finds out whether a capability may move tokens of the wallet.
 *
 * @param spender the account from which the agent says it spends; undefined when it is not known, in which case every
 * permission of the agent counts
 */
export function findCover(
  limits: WalletLimits,
  agentId: number,
  capability: string,
  spender?: string,
): Cover {
  const all = permissionsOf(limits, agentId, capability).filter(
    one => spender === undefined || one.spender === spender,
  )
  const live = all.find(({ state }) => state === 'active')
  const [over] = all
  if (live === undefined) return over === undefined ? { kind: 'none' } : { kind: 'over', permission: over }
  const useful = BigInt(live.limit) < BigInt(live.left) ? BigInt(live.limit) : BigInt(live.left)
  const isShort =
    BigInt(limits.allowance) < useful ? 'approval' : BigInt(limits.balance) < useful ? 'wallet' : undefined
  return { kind: 'covered', permission: live, isShort }
}

/** The address of the page that sets a limit; `back` is the page to return to afterwards. */
export function limitUrl(agentId: number, capability: string, back?: string): string {
  const query = new URLSearchParams({ agent: String(agentId), capability })
  if (back !== undefined) query.set('back', back)
  return `/limits/new?${query}`
}

/** Accepts only a path of this site; undefined for any other text. */
export function readBack(text: string | null): string | undefined {
  return text !== null && text.length <= 500 && /^\/(?![/\\])[\w\-./?=&%]*$/.test(text) ? text : undefined
}
