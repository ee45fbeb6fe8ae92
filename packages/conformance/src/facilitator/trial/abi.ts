/** The part of the contract ABI that the trials need: calls with words and byte strings, and decoding of arrays. */

/** A value of one word (an address, a number, 32 bytes as `0x` hex), or a byte string of any length. */
export type AbiValue = bigint | string | { readonly bytes: string }

const WORD_BYTES = 32

/** Encodes values one after the other, followed by the byte strings. Returns `0x` hex. */
export function encodeValues(values: readonly AbiValue[]): string {
  const heads: string[] = []
  let tail = ''
  for (const value of values) {
    if (typeof value === 'object') {
      const hex = value.bytes.slice(2)
      heads.push(word(BigInt(values.length * WORD_BYTES + tail.length / 2)))
      tail += word(BigInt(hex.length / 2)) + hex.padEnd(Math.ceil(hex.length / 64) * 64, '0')
    } else heads.push(word(BigInt(value)))
  }
  return `0x${heads.join('')}${tail}`
}

/** Encodes a call: the selector, `0x` and 8 digits, followed by the values. */
export function encodeCall(selector: string, ...values: readonly AbiValue[]): string {
  return selector + encodeValues(values).slice(2)
}

/** Reads the calldata after its selector, word by word. Throws when the data is too short. */
export interface AbiReader {
  /** The word at a byte offset, 64 digits without `0x`. */
  word(offset: number): string
  /** The number at a byte offset: a length, or an offset. */
  number(offset: number): number
  /** The byte string whose length is at a byte offset. `0x` hex. */
  bytes(offset: number): string
}

/** Opens calldata. */
export function readCall(data: string): AbiReader {
  const hex = data.slice(2 + 8)
  const take = (offset: number, length: number): string => {
    const taken = hex.slice(offset * 2, (offset + length) * 2)
    if (taken.length !== length * 2) throw new Error('the calldata ends too soon')
    return taken
  }
  const reader: AbiReader = {
    word: offset => take(offset, WORD_BYTES),
    number: offset => Number(BigInt(`0x${reader.word(offset)}`)),
    bytes: offset => `0x${take(offset + WORD_BYTES, reader.number(offset))}`,
  }
  return reader
}

function word(value: bigint): string {
  return value.toString(16).padStart(WORD_BYTES * 2, '0')
}
