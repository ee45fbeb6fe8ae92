/** Hex of at most 32 bytes and numbers as words of call data: 64 hex digits each, without `0x`. */

/** An address, or other hex of at most 32 bytes, with zeros before it. */
export function hexWord(hex: string): string {
  return hex.slice(2).toLowerCase().padStart(64, '0')
}

/** A number, 0 to 2^256 - 1. Throws a RangeError for any other. */
export function uintWord(amount: bigint): string {
  if (amount < 0n || amount >= 2n ** 256n) throw new RangeError(`must be 0 to 2^256 - 1, got ${amount}`)
  return amount.toString(16).padStart(64, '0')
}

/** Bytes as call data has them: how many, then themselves, filled up to whole words. */
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
