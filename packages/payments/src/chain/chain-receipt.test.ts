import { describe, expect, test } from 'vitest'
import { HASH, transfer, used } from '../../testing/token-events.ts'
import { parseReceipt, type ChainReceipt } from './chain-receipt.ts'

describe('a receipt from a node', () => {
  const raw = {
    transactionHash: HASH.toUpperCase().replace('0X', '0x'),
    status: '0x1',
    blockNumber: '0x10',
    blockHash: HASH,
    logs: [used, transfer()],
  }

  test('is converted', () => {
    const receipt: ChainReceipt = {
      transactionHash: HASH,
      succeeded: true,
      blockNumber: 16n,
      blockHash: HASH,
      logs: [used, transfer()],
    }
    expect(parseReceipt({ ...raw, cumulativeGasUsed: '0x1' })).toEqual(receipt)
    expect(parseReceipt({ ...raw, gasUsed: '0xa', effectiveGasPrice: '0x2' })).toEqual({
      ...receipt,
      gasUsed: 10n,
      gasPriceWei: 2n,
    })
  })

  test.each(['0x0', '0x2', undefined, 1, true])('with status %s has not succeeded', status => {
    expect(parseReceipt({ ...raw, status })?.succeeded).toBe(false)
  })

  test('omits malformed logs', () => {
    const logs = [
      null,
      7,
      { ...used, address: 1 },
      { ...used, topics: 'x' },
      { ...used, data: 'zz' },
      { ...used, data: 1n },
      used,
    ]
    expect(parseReceipt({ ...raw, logs })?.logs).toEqual([used])
  })

  test.each([
    null,
    undefined,
    'x',
    7,
    [],
    {},
    { ...raw, transactionHash: null },
    { ...raw, blockNumber: null },
    { ...raw, blockNumber: 'latest' },
    { ...raw, blockNumber: '0x' },
    { ...raw, blockNumber: '-1' },
    { ...raw, blockHash: null },
    { ...raw, logs: null },
  ])('PAY-33 does not count if it lacks a part or is pending: %j', value => {
    expect(parseReceipt(value)).toBeUndefined()
  })
})
