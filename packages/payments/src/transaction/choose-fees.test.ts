import { expect, test } from 'vitest'
import type { JsonRpc } from '../chain/json-rpc.ts'
import { chooseFees } from './choose-fees.ts'

const GWEI = 1_000_000_000n

function suggesting(baseFee: bigint, tip: bigint): JsonRpc {
  const answers: { readonly [method: string]: unknown } = {
    eth_getBlockByNumber: { baseFeePerGas: `0x${baseFee.toString(16)}` },
    eth_maxPriorityFeePerGas: `0x${tip.toString(16)}`,
  }
  return { call: method => Promise.resolve(answers[method]), close: () => Promise.resolve() }
}

test.each([
  ['what the node suggests', { base: 2n * GWEI, suggested: GWEI, offered: GWEI }],
  [
    'no more than the base fee, whatever others offered lately',
    { base: GWEI / 100n, suggested: 40n * GWEI, offered: GWEI / 100n },
  ],
  [
    '0.001 gwei at most where the base fee is nearly nothing',
    { base: 7n, suggested: 40n * GWEI, offered: GWEI / 1_000n },
  ],
  ['0.001 gwei where the node suggests nothing', { base: GWEI, suggested: 0n, offered: GWEI / 1_000n }],
])('the offered tip is the usual one: %s', async (_, { base, suggested, offered }) => {
  const { baseFeePerGas, maxPriorityFeePerGas, maxFeePerGas } = await chooseFees(suggesting(base, suggested))
  expect({ baseFeePerGas, maxPriorityFeePerGas }).toEqual({
    baseFeePerGas: base,
    maxPriorityFeePerGas: offered,
  })
  expect(maxFeePerGas).toBe(2n * base + offered)
})

test('a chain without a base fee is refused', async () => {
  const rpc: JsonRpc = { call: () => Promise.resolve({}), close: () => Promise.resolve() }
  await expect(chooseFees(rpc)).rejects.toThrow('chains without EIP-1559 are not supported')
})
