import {
  createAuthorizationHasher as create,
  type AuthorizationHasher,
} from '@farebox/payments/authorization/eip-3009'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { Network } from '@farebox/payments/networks'

export * from '@farebox/payments/authorization/eip-3009'

// Stands in for the hashing of authorizations: the domain of the one token is hashed once, not by each process.

const known = new Map<string, AuthorizationHasher>()

/** As the real one, which depends on nothing but chain and token. */
export function createAuthorizationHasher(crypto: EvmCrypto, network: Network): AuthorizationHasher {
  const { chainId, asset } = network
  const name = `${chainId} ${asset.address} ${asset.domain.name} ${asset.domain.version}`
  const hasher = known.get(name) ?? create(crypto, network)
  known.set(name, hasher)
  return hasher
}
