import * as addresses from '@farebox/contracts/addresses'
import { batchSettlerAbi } from '@farebox/contracts/batch-settler'
import { localUsdcAbi } from '@farebox/contracts/local-usdc'
import { multicall3Abi } from '@farebox/contracts/multicall3'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import {
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  encodePacked,
  toFunctionSelector,
  type Hex,
} from 'viem'
import { expect, test } from 'vitest'
import { encodeCall, encodeValues } from './abi.ts'
import { BATCH_SETTLER, callsOf, MULTICALL3 } from './calls-of.ts'
import { OTHER_PAYEE, PAYEE, SECOND_PAYEE, STRANGER } from './local-accounts.ts'
import { SELECTORS } from './token.ts'

const ADDRESS = STRANGER.address
const NONCE: Hex = `0x${'7a'.repeat(32)}`
const SIGNATURE: Hex = `0x${'5b'.repeat(65)}`

test.each(Object.entries(SELECTORS))('the selector of %s matches its ABI', (name, selector) => {
  const functions = localUsdcAbi.filter(one => one.type === 'function')
  const named = functions.filter(one => one.name === name)
  expect(named.map(one => toFunctionSelector(one))).toContain(selector)
})

test('words and byte strings are encoded as viem encodes them', () => {
  expect(encodeCall(SELECTORS.mint, ADDRESS, 12n)).toBe(
    encodeFunctionData({ abi: localUsdcAbi, functionName: 'mint', args: [ADDRESS, 12n] }).toLowerCase(),
  )
  expect(encodeCall(SELECTORS.cancelAuthorization, ADDRESS, NONCE, { bytes: SIGNATURE })).toBe(
    encodeFunctionData({
      abi: localUsdcAbi,
      functionName: 'cancelAuthorization',
      args: [ADDRESS, NONCE, SIGNATURE],
    }).toLowerCase(),
  )
  for (const last of ['0x', SIGNATURE] as const)
    expect(encodeValues([ADDRESS, { bytes: '0xdeadbeef' }, { bytes: last }])).toBe(
      encodeAbiParameters(
        [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }],
        [ADDRESS, '0xdeadbeef', last],
      ),
    )
})

test('the calls in a batch are found in its calldata', () => {
  const from = encodePacked(['address', 'uint8'], [ADDRESS, 0])
  const fromCode = encodePacked(['address', 'uint8', 'bytes32'], [ADDRESS, 1, NONCE])
  const rest = encodePacked(
    ['address', 'uint128', 'uint48', 'uint48', 'bytes32', 'uint8', 'bytes32', 'bytes32'],
    [ADDRESS, 1n, 0, 2, NONCE, 27, NONCE, NONCE],
  )
  const settle = encodeFunctionData({
    abi: batchSettlerAbi,
    functionName: 'settle',
    args: [PAYEE.address, 100_000n, concat([from, rest, fromCode, rest, from, rest])],
  })
  const transfer = { to: PAYEE.address.toLowerCase(), data: '0xe3ee160e' }
  expect(callsOf({ to: BATCH_SETTLER, input: settle })).toEqual([transfer, transfer, transfer])
  const aggregate = encodeFunctionData({
    abi: multicall3Abi,
    functionName: 'aggregate3',
    args: [
      [
        { target: PAYEE.address, allowFailure: true, callData: '0xcf092995' },
        { target: ADDRESS, allowFailure: false, callData: SIGNATURE },
      ],
    ],
  })
  expect(callsOf({ to: MULTICALL3, input: aggregate })).toEqual([
    { to: PAYEE.address.toLowerCase(), data: '0xcf092995' },
    { to: ADDRESS.toLowerCase(), data: SIGNATURE },
  ])
  expect(callsOf({ to: PAYEE.address, input: '0xcf092995' })).toEqual([
    { to: PAYEE.address, data: '0xcf092995' },
  ])
})

test('the addresses of the contracts are those of their package', () => {
  expect([BATCH_SETTLER, MULTICALL3]).toEqual([addresses.BATCH_SETTLER_ADDRESS, addresses.MULTICALL3_ADDRESS])
})

test('the accounts match those of the local chain', () => {
  expect([STRANGER, PAYEE]).toEqual([TEST_KEYS.stranger, TEST_KEYS.agent])
  expect([SECOND_PAYEE.address, OTHER_PAYEE.address]).toEqual([
    TEST_KEYS.secondAgent.address,
    TEST_KEYS.thirdAgent.address,
  ])
})
