/** Conversions between bytes and the hex strings of the wire format. */

const HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** `0x`-prefixed lower-case hex. */
export function toHex(bytes: Uint8Array): string {
  let text = '0x'
  for (const byte of bytes) text += HEX[byte]
  return text
}

/** Bytes of a well-formed `0x`-prefixed hex string; the form is not checked. */
export function fromHex(hex: string): Uint8Array {
  const bytes = new Uint8Array((hex.length - 2) >> 1)
  writeHex(bytes, 0, hex)
  return bytes
}

/** Writes the bytes of a well-formed `0x` hex string into `target`, starting at `offset`. */
export function writeHex(target: Uint8Array, offset: number, hex: string): void {
  for (let index = 2, at = offset; index < hex.length; index += 2, at += 1) {
    target[at] = (nibble(hex.charCodeAt(index)) << 4) | nibble(hex.charCodeAt(index + 1))
  }
}

/** Writes an unsigned integer as 32 big-endian bytes: one ABI word. */
export function writeUint256(target: Uint8Array, offset: number, value: bigint): void {
  let rest = value
  let at = offset + 31
  for (; at >= offset && rest > 0n; at -= 1) {
    target[at] = Number(rest & 0xffn)
    rest >>= 8n
  }
  target.fill(0, offset, at + 1)
}

/** Joins byte strings. */
export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let offset = 0
  for (const part of parts) {
    joined.set(part, offset)
    offset += part.length
  }
  return joined
}

function nibble(code: number): number {
  if (code <= 57) return code - 48
  return (code | 32) - 87
}

/** Narrows the type of hex that was already checked; does no check itself. */
export function asHex(checked: string): `0x${string}` {
  return `0x${checked.slice(2)}`
}
