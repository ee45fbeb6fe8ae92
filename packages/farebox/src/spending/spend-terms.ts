import { refuseAddress } from '@farebox/payments/crypto/address'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { Network } from '@farebox/payments/networks'
import type { Declaration, Permission } from '@farebox/protocol/declaration/declaration'
import { InternalError, ValidationError } from '@farebox/protocol/errors/service-errors'
import { formatUsdc, readPrice } from '@farebox/protocol/money/usdc'

/** The most that a capability may spend in one transaction, as declared. */
export interface SpendBound {
  /** The token's symbol as declared: `"USDC"`. */
  readonly symbol: string
  /** The token's contract on the agent's network. */
  readonly token: `0x${string}`
  readonly maxAtomic: bigint
}

/** The checked terms of a spend. */
export interface SpendTerms {
  readonly to: `0x${string}`
  readonly amountAtomic: bigint
}

/** The declared limits by capability; capabilities without permissions are not included. */
export function readBounds(declaration: Declaration, network: Network): ReadonlyMap<string, SpendBound> {
  return new Map(
    Object.entries(declaration.capabilities).flatMap(([name, { permissions = [] }]) =>
      permissions.map(permission => [name, readBound(permission, network)] as const),
    ),
  )
}

function readBound({ token, max_per_transaction }: Permission, { asset }: Network): SpendBound {
  const most = readPrice(max_per_transaction)
  // The declaration was checked before, so this cannot happen.
  if (!most.ok || token !== asset.symbol) throw new RangeError('a permission that was not checked')
  return { symbol: token, token: asset.address as `0x${string}`, maxAtomic: most.atomic }
}

/**
 * Checks the arguments of a spend. Throws a `ValidationError` for an invalid amount or recipient, which usually come
 * from the input, and an `InternalError` for a fault that only the handler can cause.
 */
export function checkSpendOrder(
  crypto: Pick<EvmCrypto, 'keccak256'>,
  order: unknown,
  { symbol, maxAtomic }: SpendBound,
): SpendTerms {
  if (typeof order !== 'object' || order === null)
    throw new InternalError('ctx.spend takes { token, amount, to }')
  const { token, amount, to } = order as { readonly [key: string]: unknown }
  if (token !== symbol) {
    const got = typeof token === 'string' ? JSON.stringify(token.slice(0, 40)) : typeof token
    throw new InternalError(`cannot spend ${got}: the capability declares ${JSON.stringify(symbol)} alone`)
  }
  const read = readPrice(amount)
  if (!read.ok) throw new ValidationError('amount', read.reason)
  if (read.atomic > maxAtomic) {
    const most = `${formatUsdc(maxAtomic)} ${symbol}`
    throw new ValidationError('amount', `must be at most ${most}, the declared max_per_transaction`)
  }
  const refused = refuseAddress(crypto, to)
  if (refused !== undefined) throw new ValidationError('to', refused)
  return { to: String(to).toLowerCase() as `0x${string}`, amountAtomic: read.atomic }
}
