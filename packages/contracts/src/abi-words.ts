/** Encodes hex of at most 32 bytes, and numbers, as words of call data: 64 hex digits each, without `0x`. */

/**
 * Encodes an address as a word; it must have exactly 40 digits.
 *
 * @throws RangeError for any other text. One digit too many would move every word behind it
 */
export function addressWord(address: string): string {
  return hexWord(address, /^0x[0-9a-f]{40}$/i, 'an address')
}

/**
 * Encodes 32 bytes as a word; they must have exactly 64 digits.
 *
 * @throws RangeError for any other text
 */
export function bytes32Word(bytes: string): string {
  return hexWord(bytes, /^0x[0-9a-f]{64}$/i, '32 bytes')
}

function hexWord(hex: string, form: RegExp, what: string): string {
  if (!form.test(hex)) throw new RangeError(`must be ${what} as 0x hex, got ${hex.slice(0, 80)}`)
  return hex.slice(2).toLowerCase().padStart(64, '0')
}

/** Encodes a number from 0 to 2^256 - 1 as a word. Throws a RangeError for any other. */
export function uintWord(amount: bigint): string {
  if (amount < 0n || amount >= 2n ** 256n) throw new RangeError(`must be 0 to 2^256 - 1, got ${amount}`)
  return amount.toString(16).padStart(64, '0')
}

/** Encodes bytes for call data: their length, then the bytes, padded to whole words. */
export function countedWords(digits: string): string {
  const padded = digits.padEnd(Math.ceil(digits.length / 64) * 64, '0')
  return uintWord(BigInt(digits.length / 2)) + padded
}

/** A text in UTF-8, as hex digits. */
export function textDigits(text: string): string {
  return toDigits(new TextEncoder().encode(text))
}

/** Bytes as hex digits. */
export function toDigits(bytes: Uint8Array): string {
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
}

/** Hex digits as bytes. */
export function bytesOf(digits: string): Uint8Array {
  return Uint8Array.from(digits.match(/../g) ?? [], pair => Number.parseInt(pair, 16))
}
