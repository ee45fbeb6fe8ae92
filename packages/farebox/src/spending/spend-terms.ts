import { refuseAddress } from '@farebox/payments/crypto/address'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { Network } from '@farebox/payments/networks'
import type { Declaration, Permission } from '@farebox/protocol/declaration/declaration'
import { InternalError, ValidationError } from '@farebox/protocol/errors/service-errors'
import { formatUsdc, readPrice } from '@farebox/protocol/money/usdc'

/** What a capability declares to spend, at most, in one transaction. */
export interface SpendBound {
  /** As declared: `"USDC"`. */
  readonly symbol: string
  /** Its contract on the agent's network. */
  readonly token: `0x${string}`
  readonly maxAtomic: bigint
}

/** A spend, checked. */
export interface SpendTerms {
  readonly to: `0x${string}`
  readonly amountAtomic: bigint
}

/** What each capability declares that it spends; those that declare nothing are not in it. */
export function readBounds(declaration: Declaration, network: Network): ReadonlyMap<string, SpendBound> {
  return new Map(
    Object.entries(declaration.capabilities).flatMap(([name, { permissions = [] }]) =>
      permissions.map(permission => [name, readBound(permission, network)] as const),
    ),
  )
}

function readBound({ token, max_per_transaction }: Permission, { asset }: Network): SpendBound {
  const most = readPrice(max_per_transaction)
  // A declaration is checked before it gets here.
  if (!most.ok || token !== asset.symbol) throw new RangeError('a permission that was not checked')
  return { symbol: token, token: asset.address as `0x${string}`, maxAtomic: most.atomic }
}

/**
 * Checks what a handler asks to be moved. Throws a `ValidationError` for an amount or a recipient that cannot be, which
 * mostly come from the input, and an `InternalError` for what only the handler can have got wrong.
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
