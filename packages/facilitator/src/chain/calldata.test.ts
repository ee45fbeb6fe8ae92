import { batchSettlerAbi } from '@farebox/contracts/batch-settler'
import { localUsdcAbi } from '@farebox/contracts/local-usdc'
import { multicall3Abi } from '@farebox/contracts/multicall3'
import * as fc from 'fast-check'
import { concat, encodeFunctionData, encodeFunctionResult, encodePacked, type Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import {
  decodeBatch,
  encodeAuthorizationState,
  encodeBatch,
  encodeSettle,
  encodeTransfer,
  fitsSettle,
  readUint,
} from './calldata.ts'

const FROM = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const TO = '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65'
const NONCE: Hex = `0x${'ab'.repeat(32)}`
const [R, S]: [Hex, Hex] = [`0x${'12'.repeat(32)}`, `0x${'34'.repeat(32)}`]

describe('our ABI coding agrees with viem', () => {
  test('calls to the token are encoded as viem encodes them', () => {
    const authorization = {
      from: FROM,
      to: TO,
      value: '10000',
      validAfter: '0',
      validBefore: '1900000000',
      nonce: NONCE,
    }
    expect(encodeTransfer(authorization, `${R}${S.slice(2)}1c`)).toBe(
      encodeFunctionData({
        abi: localUsdcAbi,
        functionName: 'transferWithAuthorization',
        args: [FROM, TO, 10_000n, 0n, 1_900_000_000n, NONCE, 28, R, S],
      }),
    )
    expect(encodeAuthorizationState(FROM, NONCE)).toBe(
      encodeFunctionData({ abi: localUsdcAbi, functionName: 'authorizationState', args: [FROM, NONCE] }),
    )
  })

  test.each([
    [[]],
    [['0x']],
    [['0x12']],
    [['0x42cbb15c', `0x${'ab'.repeat(32)}`, `0x${'cd'.repeat(292)}`]],
  ] satisfies Hex[][][])('of a batch with the data %o', data => {
    const calls = data.map((one, index) => ({ to: index % 2 === 0 ? FROM : TO, data: one }))
    const args = [
      calls.map(call => ({ target: call.to as Hex, allowFailure: true, callData: call.data })),
    ] as const
    expect(encodeBatch(calls)).toBe(
      encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args }),
    )
  })

  test('items of a settlement are packed as viem packs them, with a code hash and without', () => {
    const hex = (bytes: number): fc.Arbitrary<Hex> =>
      fc
        .uint8Array({ minLength: bytes, maxLength: bytes })
        .map(array => `0x${Buffer.from(array).toString('hex')}` as const)
    const item = fc.record({
      from: hex(20),
      to: hex(20),
      value: fc.bigInt(0n, 2n ** 128n - 1n),
      validAfter: fc.maxSafeNat().map(seconds => seconds % 2 ** 48),
      validBefore: fc.maxSafeNat().map(seconds => seconds % 2 ** 48),
      nonce: hex(32),
      v: fc.constantFrom(27, 28),
      r: hex(32),
      s: hex(32),
      codeHash: fc.option(hex(32), { nil: undefined }),
    })
    fc.assert(
      fc.property(fc.array(item, { maxLength: 5 }), fc.bigInt(0n, 2n ** 64n), (items, gasEach) => {
        const packed = items.flatMap(one => [
          one.codeHash === undefined
            ? encodePacked(['address', 'uint8'], [one.from, 0])
            : encodePacked(['address', 'uint8', 'bytes32'], [one.from, 1, one.codeHash]),
          encodePacked(
            ['address', 'uint128', 'uint48', 'uint48', 'bytes32', 'uint8', 'bytes32', 'bytes32'],
            [one.to, one.value, one.validAfter, one.validBefore, one.nonce, one.v, one.r, one.s],
          ),
        ])
        const ours = items.map(({ v, r, s, codeHash, ...rest }) => ({
          authorization: {
            ...rest,
            value: String(rest.value),
            validAfter: String(rest.validAfter),
            validBefore: String(rest.validBefore),
          },
          signature: `${r}${s.slice(2)}${v.toString(16)}`,
          codeHash,
        }))
        expect(encodeSettle(TO, gasEach, ours)).toBe(
          encodeFunctionData({
            abi: batchSettlerAbi,
            functionName: 'settle',
            args: [TO, gasEach, concat(['0x', ...packed])],
          }),
        )
      }),
    )
  })

  test('batch results are decoded as viem decodes them', () => {
    const results: { success: boolean; returnData: Hex }[] = [
      { success: true, returnData: NONCE },
      { success: false, returnData: '0x' },
      { success: false, returnData: '0x08c379a0ff' },
    ]
    const answer = encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result: results })
    // The encoder pads to whole words; this test concerns the contents.
    const padded = answer.padEnd(2 + Math.ceil((answer.length - 2) / 64) * 64, '0')
    expect(decodeBatch(padded, 3)).toEqual(
      results.map(({ success, returnData }) => ({ succeeded: success, data: returnData })),
    )
  })
})

test('a value or a time that is too large for an item of a settlement is refused, never truncated', () => {
  const authorization = {
    from: FROM,
    to: TO,
    value: String(2n ** 128n - 1n),
    validAfter: String(2n ** 48n - 1n),
    validBefore: String(2n ** 48n - 1n),
    nonce: NONCE,
  }
  const encode = (changes: Partial<typeof authorization>): string =>
    encodeSettle(TO, 1n, [
      {
        authorization: { ...authorization, ...changes },
        signature: `${R}${S.slice(2)}1b`,
        codeHash: undefined,
      },
    ])
  expect(fitsSettle(authorization)).toBe(true)
  expect(encode({})).toContain('f'.repeat(2 * (16 + 6 + 6)))
  for (const changes of [
    { value: String(2n ** 128n) },
    { validAfter: String(2n ** 48n) },
    { validBefore: String(2n ** 48n) },
  ]) {
    expect(fitsSettle({ ...authorization, ...changes })).toBe(false)
    expect(() => encode(changes)).toThrow(RangeError)
  }
})

test.each([
  [null],
  ['0x'],
  ['0x00'],
  [`0x${'ff'.repeat(32)}`],
  [`0x${'0'.repeat(62)}20${'0'.repeat(63)}1${'f'.repeat(64)}`],
])('PAY-33 a node that answers %s is not trusted', answer => {
  expect(() => decodeBatch(answer, 1)).toThrow(/node answered/)
})

test('a number is a single word of a call that succeeded', () => {
  expect(readUint({ succeeded: true, data: `0x${'0'.repeat(62)}ff` })).toBe(255n)
  expect(() => readUint({ succeeded: false, data: `0x${'0'.repeat(64)}` })).toThrow('no number')
  expect(() => readUint({ succeeded: true, data: '0x' })).toThrow('no number')
  expect(() => readUint(undefined)).toThrow('no number')
})
