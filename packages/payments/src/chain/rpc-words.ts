/** Numbers and addresses in the form of JSON-RPC, calldata and logs. */

/** An address as an indexed event parameter: a 32-byte word with `0x`. */
export function addressTopic(address: string): string {
  return `0x${word(address)}`
}

/** `0x` hex as an ABI word of 64 digits, without the `0x`. */
export function word(hex: string): string {
  return hex.slice(2).padStart(64, '0')
}

/** Is it a number in the form of JSON-RPC, of at most 32 bytes? */
export function isQuantity(value: unknown): value is string {
  return typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value)
}

/** A number in the form of JSON-RPC. */
export function quantity(value: bigint): string {
  return `0x${value.toString(16)}`
}
