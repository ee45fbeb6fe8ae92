import { concatBytes, fromHex } from '../crypto/bytes.ts'

/** The values of RLP (Ethereum's Yellow Paper, appendix B): bytes, and lists of them. */
export type RlpItem = Uint8Array | readonly RlpItem[]

/** Encodes an item. */
export function encodeRlp(item: RlpItem): Uint8Array {
  if (!(item instanceof Uint8Array)) return withLength(0xc0, concatBytes(...item.map(encodeRlp)))
  const [first = 0x80] = item
  return item.length === 1 && first < 0x80 ? item : withLength(0x80, item)
}

/** An unsigned integer in the form of RLP: big-endian, without leading zeros, empty for 0. */
export function uintBytes(value: bigint): Uint8Array {
  if (value === 0n) return new Uint8Array()
  const digits = value.toString(16)
  return fromHex(`0x${digits.padStart(digits.length + (digits.length % 2), '0')}`)
}

/** Beyond this length, the length is encoded in bytes of its own. */
const SHORT = 55

function withLength(offset: number, body: Uint8Array): Uint8Array {
  if (body.length <= SHORT) return concatBytes(Uint8Array.of(offset + body.length), body)
  const length = uintBytes(BigInt(body.length))
  return concatBytes(Uint8Array.of(offset + SHORT + length.length), length, body)
}
