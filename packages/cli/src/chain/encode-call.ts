import { concatBytes, fromHex, toHex, writeUint256 } from '@farebox/payments/internal/crypto/bytes'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'

/** The hash that selectors and topics are made of. */
export type Hash = Pick<EvmCrypto, 'keccak256'>

const WORD = 32

/** A call as a contract reads it: the first four bytes of its signature's hash, then the parameters. */
export function encodeCall(
  { keccak256 }: Hash,
  signature: string,
  parameters: readonly Uint8Array[] = [],
): string {
  return toHex(concatBytes(keccak256(utf8(signature)).slice(0, 4), ...parameters))
}

/** What the logs of an event begin with. */
export function topicOf({ keccak256 }: Hash, signature: string): string {
  return toHex(keccak256(utf8(signature)))
}

/** A number, 0 to 2^256 - 1, as one word. */
export function uintWord(value: bigint): Uint8Array {
  const bytes = new Uint8Array(WORD)
  writeUint256(bytes, 0, value)
  return bytes
}

/** An address, or other hex of at most 32 bytes, as one word with zeros before it. */
export function hexWord(hex: string): Uint8Array {
  return uintWord(BigInt(hex))
}

/** A text: its length, then itself, filled up to whole words. */
export function textBytes(text: string): Uint8Array {
  return countedBytes(utf8(text))
}

/** Bytes: how many, then themselves, filled up to whole words. */
function countedBytes(bytes: Uint8Array): Uint8Array {
  return concatBytes(
    uintWord(BigInt(bytes.length)),
    bytes,
    new Uint8Array((WORD - (bytes.length % WORD)) % WORD),
  )
}

/** An answer that is one text; undefined where it is none. */
export function readText(answer: string): string | undefined {
  if (!/^0x(?:[0-9a-f]{64}){2,}$/i.test(answer)) return undefined
  const bytes = fromHex(answer)
  const length = Number(BigInt(toHex(bytes.subarray(WORD, 2 * WORD))))
  return 2 * WORD + length <= bytes.length
    ? new TextDecoder().decode(bytes.subarray(2 * WORD, 2 * WORD + length))
    : undefined
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
