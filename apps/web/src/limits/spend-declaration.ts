import { readPrice } from '@farebox/protocol/money/usdc'

/** A capability's declaration of the callers' tokens that it moves. */
export interface SpendDeclaration {
  /** The agent's words. */
  readonly reason: string
  /** Decimal USDC, as declared. */
  readonly most: string
  /** The same in atomic units; undefined: no amount that USDC can have. */
  readonly mostAtomic: bigint | undefined
}

/** The one token that permissions are given in: a symbol that an agent writes becomes no other address (PERM-05). */
const SYMBOL = 'USDC'
const MOST_REASON = 500

/**
 * What a capability declares that it moves in USDC. Undefined: it declares no `EXECUTE_TRANSACTIONS` for it, and nothing of
 * limits is shown (PERM-06).
 *
 * @param permissions as the API has them, of the declaration
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
