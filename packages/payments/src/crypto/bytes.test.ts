import * as fc from 'fast-check'
import { bytesToHex, concat, hexToBytes, numberToBytes } from 'viem'
import { expect, test } from 'vitest'
import { concatBytes, fromHex, toHex, writeHex, writeUint256 } from './bytes.ts'

const ANY_BYTES = fc.uint8Array({ maxLength: 80 })
const UINT256 = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })

test('bytes and hex are written as viem writes them, and read in either case', () => {
  fc.assert(
    fc.property(ANY_BYTES, bytes => {
      const hex = bytesToHex(bytes)
      expect(toHex(bytes)).toBe(hex)
      expect(fromHex(hex)).toEqual(hexToBytes(hex))
      expect(fromHex(`0x${hex.slice(2).toUpperCase()}`)).toEqual(bytes)
    }),
  )
})

test('hex is written at its offset and nowhere else', () => {
  const target = new Uint8Array(6).fill(9)
  writeHex(target, 2, '0xabCD')
  expect([...target]).toEqual([9, 9, 0xab, 0xcd, 9, 9])
})

test('a uint256 fills its whole word, whatever the previous content, and nothing else', () => {
  fc.assert(
    fc.property(UINT256, value => {
      const target = new Uint8Array(40).fill(9)
      writeUint256(target, 4, value)
      expect(target.subarray(4, 36)).toEqual(numberToBytes(value, { size: 32 }))
      expect([...target.subarray(0, 4), ...target.subarray(36)]).toEqual([9, 9, 9, 9, 9, 9, 9, 9])
    }),
    { examples: [[0n], [1n], [2n ** 256n - 1n]] },
  )
})

test('byte strings are joined in their order', () => {
  fc.assert(
    fc.property(fc.array(ANY_BYTES, { maxLength: 4 }), parts => {
      expect(concatBytes(...parts)).toEqual(concat(parts))
    }),
  )
})
