import {
  createAuthorizationHasher as createHasher,
  type AuthorizationHasher,
} from '@farebox/payments/authorization/eip-3009'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { Network } from '@farebox/payments/networks'
import { createRedactor as createRealRedactor, type Redactor } from '@farebox/payments/internal/redact'
import { decodePaymentHeader as decode } from '@farebox/payments/x402/payment-header'
import { checkDeclaration as check } from '@farebox/protocol/declaration/check-declaration'
import { compileInput as input, compileOutput as output } from '@farebox/protocol/fields/compile'
import { remember } from './remember.ts'

// Stands in for pure functions that every process of every history calls with the same few values: each of these is
// computed once, and nobody changes a result.

export * from '@farebox/payments/authorization/eip-3009'
export * from '@farebox/payments/internal/redact'
export * from '@farebox/payments/x402/payment-header'

export const checkDeclaration: typeof check = remember(check)
export const compileInput: typeof input = remember(input)
export const compileOutput: typeof output = remember(output)
export const decodePaymentHeader: typeof decode = remember(decode)

const redactors = new Map<string, Redactor>()

/** As the real one, once for the same secrets. */
export function createRedactor(secrets: readonly (string | undefined)[]): Redactor {
  const name = secrets.join('\n')
  const redactor = redactors.get(name) ?? createRealRedactor(secrets)
  redactors.set(name, redactor)
  return redactor
}

const hashers = new Map<string, AuthorizationHasher>()

/** As the real one, which depends on nothing but chain and token. */
export function createAuthorizationHasher(crypto: EvmCrypto, network: Network): AuthorizationHasher {
  const { chainId, asset } = network
  const name = `${chainId} ${asset.address} ${asset.domain.name} ${asset.domain.version}`
  const hasher = hashers.get(name) ?? createHasher(crypto, network)
  hashers.set(name, hasher)
  return hasher
}
