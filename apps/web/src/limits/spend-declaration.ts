import { readPrice } from '@farebox/protocol/money/usdc'

/** A capability's declaration that it moves its callers' tokens. */
export interface SpendDeclaration {
  /** The agent's own words. */
  readonly reason: string
  /** Decimal USDC, as declared. */
  readonly most: string
  /** The same in atomic units; undefined when USDC cannot have such an amount. */
  readonly mostAtomic: bigint | undefined
}

/** The only token of permissions. Its address never follows from a symbol that an agent declares (PERM-05). */
const SYMBOL = 'USDC'
const MOST_REASON = 500

/**
 * The amount of USDC that a capability declares to move. Undefined when it declares no `EXECUTE_TRANSACTIONS` for USDC; the
 * pages then show nothing about limits (PERM-06).
 *
 * @param permissions the permissions of the declaration, as returned by the API
 */
export function readSpendDeclaration(
  permissions: readonly { readonly [key: string]: unknown }[],
): SpendDeclaration | undefined {
  const declared = permissions.find(({ type, token }) => type === 'EXECUTE_TRANSACTIONS' && token === SYMBOL)
  if (declared === undefined) return undefined
  const { reason, max_per_transaction: most } = declared
  const amount = readPrice(most)
  return {
    reason: typeof reason === 'string' ? reason.slice(0, MOST_REASON) : '',
    most: typeof most === 'string' ? most.slice(0, 40) : '',
    mostAtomic: amount.ok ? amount.atomic : undefined,
  }
}
