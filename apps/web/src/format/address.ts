import { checksumAddress, isAddress } from '@farebox/payments/crypto/address'
import { keccak_256 } from '@noble/hashes/sha3.js'

/** An address in its mixed-case checksum form (EIP-55). Text that is not an address is returned unchanged. */
export function formatAddress(address: string): string {
  return isAddress(address) ? checksumAddress({ keccak256: keccak_256 }, address) : address
}

/** The first and last digits of an address: `0x7099…79C8`. */
export function shortAddress(address: string): string {
  const whole = formatAddress(address)
  return `${whole.slice(0, 6)}…${whole.slice(-4)}`
}

/** The first and last digits of a hash, a transaction or a job id: `5f0c…91aa`; a leading `0x` is kept. */
export function shortHash(hash: string): string {
  const head = hash.startsWith('0x') ? 6 : 4
  return hash.length <= head + 5 ? hash : `${hash.slice(0, head)}…${hash.slice(-4)}`
}
