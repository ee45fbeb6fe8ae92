import { fromHex, toHex } from './bytes.ts'
import type { EvmCrypto } from './evm-crypto.ts'

const ADDRESS = /^0x[0-9a-fA-F]{40}$/

/** Does the value have the form of an address: 0x and 40 hex digits, in any case? */
export function isAddress(value: unknown): value is string {
  return typeof value === 'string' && ADDRESS.test(value)
}

/** Are two addresses the same, whatever their case? */
export function sameAddress(one: string, other: string): boolean {
  return one === other || one.toLowerCase() === other.toLowerCase()
}

/** The mixed-case form of an address that contains its checksum (EIP-55). */
export function checksumAddress(crypto: Pick<EvmCrypto, 'keccak256'>, address: string): string {
  const digits = address.slice(2).toLowerCase()
  const hash = toHex(crypto.keccak256(new TextEncoder().encode(digits))).slice(2)
  let text = '0x'
  for (let index = 0; index < 40; index += 1) {
    const digit = digits.charAt(index)
    text += hash.charAt(index) >= '8' ? digit.toUpperCase() : digit
  }
  return text
}

/**
 * Checks an address that a person typed (D30): all lower case, all upper case, or mixed case with a correct checksum; never
 * zero. Returns the reason for a refusal, undefined for a valid address.
 *
 * @example
 * ```ts
 * import { refuseAddress } from '@farebox/payments/crypto/address'
 * import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
 *
 * const crypto = await loadEvmCrypto()
 * console.log(refuseAddress(crypto, '0x036CbD53842c5426634e7929541eC2318f3dCF7e')) // undefined: it is good
 * console.log(refuseAddress(crypto, '0x036CbD')) // must be an address: 0x and 40 hex digits
 * ```
 */
export function refuseAddress(crypto: Pick<EvmCrypto, 'keccak256'>, value: unknown): string | undefined {
  if (!isAddress(value)) return 'must be an address: 0x and 40 hex digits'
  if (fromHex(value).every(byte => byte === 0)) return 'must not be the zero address'
  const digits = value.slice(2)
  const mixed = digits !== digits.toLowerCase() && digits !== digits.toUpperCase()
  if (!mixed || checksumAddress(crypto, value) === value) return undefined
  return `has a wrong checksum: a letter was mistyped (all lower case is taken as it is)`
}
