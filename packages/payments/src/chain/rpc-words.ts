/** Numbers and addresses as nodes, calldata and logs spell them. */

/** An address as an indexed event parameter: a word with `0x`. */
export function addressTopic(address: string): string {
  return `0x${word(address)}`
}

/** `0x` hex as one ABI word of 64 digits, without the `0x`. */
export function word(hex: string): string {
  return hex.slice(2).padStart(64, '0')
}

/** Is it a number as JSON-RPC spells one, of 32 bytes at most? */
export function isQuantity(value: unknown): value is string {
  return typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value)
}

/** A number as JSON-RPC spells it. */
export function quantity(value: bigint): string {
  return `0x${value.toString(16)}`
}
