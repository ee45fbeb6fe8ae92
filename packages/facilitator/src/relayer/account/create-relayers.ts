import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { Network } from '@farebox/payments/networks'
import { createRelayer, type Relayer } from './relayer-account.ts'

/**
 * Creates the relayer accounts of one process, one for each key.
 *
 * Throws a `RangeError` without any key, for a malformed key, and for two identical keys.
 */
export function createRelayers(
  crypto: EvmCrypto,
  network: Network,
  keys: readonly string[],
): readonly [Relayer, ...Relayer[]] {
  const [first, ...others] = keys.map(key => createRelayer(crypto, network, key))
  if (first === undefined) throw new RangeError('a facilitator needs a relayer key')
  if (new Set([first, ...others].map(({ address }) => address)).size < keys.length)
    throw new RangeError('two relayer keys are the same')
  return [first, ...others]
}
