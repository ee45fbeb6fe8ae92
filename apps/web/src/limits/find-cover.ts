import type { SpendPermissionView, WalletLimits } from '@farebox/platform-api/limits/wallet-limits'

/** Whether a permission lets a capability move tokens now. */
export type Cover =
  /** It does. `isShort`: the approval behind it, or the wallet, has less than it has left. */
  | {
      readonly kind: 'covered'
      readonly permission: SpendPermissionView
      readonly isShort: 'approval' | 'wallet' | undefined
    }
  /** One was there, and is over. */
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
 * Whether a capability may move tokens of the wallet.
 *
 * @param spender who the agent says that it spends from; undefined: not known, and any permission of it counts
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

/** The address of the page that sets a limit; `back` is where it leads when it is done. */
export function limitUrl(agentId: number, capability: string, back?: string): string {
  const query = new URLSearchParams({ agent: String(agentId), capability })
  if (back !== undefined) query.set('back', back)
  return `/limits/new?${query}`
}

/** A page of ours and nothing else; undefined for any other text. */
export function readBack(text: string | null): string | undefined {
  return text !== null && text.length <= 500 && /^\/(?![/\\])[\w\-./?=&%]*$/.test(text) ? text : undefined
}
