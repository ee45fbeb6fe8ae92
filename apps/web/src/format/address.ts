import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/** An address with the capitals of its checksum (EIP-55). Text that is no address stays as it is. */
export function checksumAddress(address: string): string {
  const digits = address.slice(2).toLowerCase()
  if (!/^[0-9a-f]{40}$/.test(digits)) return address
  const hash = bytesToHex(keccak_256(utf8ToBytes(digits)))
  const cased = [...digits].map((digit, index) =>
    Number.parseInt(hash[index] ?? '0', 16) >= 8 ? digit.toUpperCase() : digit,
  )
  return `0x${cased.join('')}`
}

/** The ends of an address: `0x7099…79C8`. */
export function shortAddress(address: string): string {
  const whole = checksumAddress(address)
  return `${whole.slice(0, 6)}…${whole.slice(-4)}`
}

/** The ends of a hash, a transaction or a job id: `5f0c…91aa`; `0x` is kept. */
export function shortHash(hash: string): string {
  const head = hash.startsWith('0x') ? 6 : 4
  return hash.length <= head + 5 ? hash : `${hash.slice(0, head)}…${hash.slice(-4)}`
}
