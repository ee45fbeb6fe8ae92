import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { fromHex } from '@farebox/payments/src/crypto/bytes'
import { remember } from './stand-ins/pure-functions.ts'

const ADDRESS_BYTES = 20
const ADDRESS_AT = 64 - ADDRESS_BYTES

/**
 * Real hashes and addresses, with signatures that only resemble those of the curve: 65 bytes, low s, a `v` of 27, and
 * in them the signer, with a hash over that and the digest. Bytes without a signer, or for another digest, recover to
 * none. No history forges signatures more deeply; and the real curve, which has its own tests, costs as much as the
 * rest of a payment.
 */
export function pretendCurve(crypto: EvmCrypto): EvmCrypto {
  const { keccak256 } = crypto
  const sealed = new Uint8Array(32 + ADDRESS_BYTES)
  const addressOf = remember(crypto.addressOf, privateKey => Buffer.from(privateKey).toString('latin1'))
  /** The buffer is reused: all of this is synchronous. */
  const seal = (digest: Uint8Array, address: Uint8Array): Uint8Array => {
    sealed.set(digest)
    sealed.set(address, 32)
    return keccak256(sealed)
  }
  return {
    ...crypto,
    addressOf,
    sign(digest, privateKey) {
      const address = fromHex(addressOf(privateKey))
      const signature = new Uint8Array(65)
      signature.set(seal(digest, address))
      signature.set(address, ADDRESS_AT)
      signature[64] = 27
      return signature
    },
    recoverAddress(digest, signature) {
      if (signature.length !== 65 || signature[64] !== 27) return undefined
      const address = signature.subarray(ADDRESS_AT, 64)
      if (Buffer.compare(seal(digest, address), signature.subarray(0, 32)) !== 0) return undefined
      return `0x${Buffer.from(address).toString('hex')}`
    },
  }
}
