import { localUsdcAbi } from '@farebox/contracts/local-usdc'
import { multicall3Abi } from '@farebox/contracts/multicall3'
import { encodeFunctionData, encodeFunctionResult, type Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import {
  decodeBatch,
  encodeAuthorizationState,
  encodeBalanceOf,
  encodeBatch,
  encodeTransfer,
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
    expect(encodeBalanceOf(FROM)).toBe(
      encodeFunctionData({ abi: localUsdcAbi, functionName: 'balanceOf', args: [FROM] }),
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

  test('batch results are decoded as viem decodes them', () => {
    const results: { success: boolean; returnData: Hex }[] = [
      { success: true, returnData: NONCE },
      { success: false, returnData: '0x' },
      { success: false, returnData: '0x08c379a0ff' },
    ]
    const answer = encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result: results })
    // Padding to whole words is the encoder's business; ours is what lies within.
    const padded = answer.padEnd(2 + Math.ceil((answer.length - 2) / 64) * 64, '0')
    expect(decodeBatch(padded, 3)).toEqual(
      results.map(({ success, returnData }) => ({ succeeded: success, data: returnData })),
    )
  })
})

test.each([
  [null],
  ['0x'],
  ['0x00'],
  [`0x${'ff'.repeat(32)}`],
  [`0x${'0'.repeat(62)}20${'0'.repeat(63)}1${'f'.repeat(64)}`],
])('PAY-33 a node that answers %s is not believed', answer => {
  expect(() => decodeBatch(answer, 1)).toThrow(/node answered/)
})

test('a number is a single word of a call that succeeded', () => {
  expect(readUint({ succeeded: true, data: `0x${'0'.repeat(62)}ff` })).toBe(255n)
  expect(() => readUint({ succeeded: false, data: `0x${'0'.repeat(64)}` })).toThrow('no number')
  expect(() => readUint({ succeeded: true, data: '0x' })).toThrow('no number')
  expect(() => readUint(undefined)).toThrow('no number')
})
