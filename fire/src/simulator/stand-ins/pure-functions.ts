import { createAuthorizationHasher as hasher } from '@farebox/payments/authorization/eip-3009'
import { createRedactor as redactor } from '@farebox/payments/internal/redact'
import { decodePaymentHeader as decode } from '@farebox/payments/x402/payment-header'
import { checkDeclaration as check } from '@farebox/protocol/declaration/check-declaration'
import { compileInput as input, compileOutput as output } from '@farebox/protocol/fields/compile'

// Replaces pure functions that every process of every history calls with the same few values: each result is computed
// once and never changed.

export * from '@farebox/payments/authorization/eip-3009'
export * from '@farebox/payments/internal/redact'
export * from '@farebox/payments/x402/payment-header'

const MOST_KEPT = 200

export const checkDeclaration: typeof check = remember(check)
export const compileInput: typeof input = remember(input)
export const compileOutput: typeof output = remember(output)
export const decodePaymentHeader: typeof decode = remember(decode)

/** Like the real one, once for the same secrets. */
export const createRedactor: typeof redactor = remember(redactor, secrets => secrets.join('\n'))

/** Like the real one, which depends only on chain and token. */
export const createAuthorizationHasher: typeof hasher = remember(
  hasher,
  (_, { chainId, asset }) => `${chainId} ${asset.address}`,
)

/** A pure function, called once for each key of its arguments: by default, its first argument. */
export function remember<Given extends readonly unknown[], Result>(
  compute: (...given: Given) => Result,
  nameOf: (...given: Given) => unknown = (...given) => given[0],
): (...given: Given) => Result {
  const known = new Map<unknown, Result>()
  return (...given) => {
    const name = nameOf(...given)
    const before = known.get(name)
    if (before !== undefined) return before
    const result = compute(...given)
    // Values that differ at each call must not be kept forever.
    if (known.size >= MOST_KEPT) known.clear()
    known.set(name, result)
    return result
  }
}
