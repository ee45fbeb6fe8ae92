import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { currentWorld } from './current-world.ts'

/** Stands in for `@farebox/payments/crypto/evm-crypto`, whose loading would wait for the machine: it is loaded once. */
export function loadEvmCrypto(): Promise<EvmCrypto> {
  return Promise.resolve(currentWorld().crypto)
}

/** As above, the hash alone. */
export function loadKeccak(): Promise<EvmCrypto['keccak256']> {
  return Promise.resolve(currentWorld().crypto.keccak256)
}
