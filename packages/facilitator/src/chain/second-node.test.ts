import type { ChainReceipt } from '@farebox/payments/chain/chain-receipt'
import type { ChainVerdict } from '@farebox/payments/chain/find-settlement'
import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import { findNetwork, type Network } from '@farebox/payments/networks'
import { expect, test } from 'vitest'
import { createPaymentForTests, createReaderForTests, receiptFor } from '../test-setup/receipts-for-tests.ts'
import { agreeWithSecond, createSecondNode } from './second-node.ts'

const network = findNetwork('eip155:84532') as Network
const payment = createPaymentForTests()
const receipt = receiptFor(network, [payment])

function secondThatHas(theirs: object | null) {
  const rpc: JsonRpc = { call: () => Promise.resolve(theirs), close: () => Promise.resolve() }
  return createSecondNode(rpc, createReaderForTests(), network)
}

/** A receipt as a node writes it. */
function written(changed: Partial<ChainReceipt> = {}): object {
  const { blockNumber, succeeded, ...rest } = { ...receipt, ...changed }
  return { ...rest, blockNumber: `0x${blockNumber.toString(16)}`, status: succeeded ? '0x1' : '0x0' }
}

test('a second node that has the same receipt confirms it', async () => {
  expect(await secondThatHas(written()).hasReceipt(receipt, [payment])).toBe(true)
})

test.each([
  ['no receipt', null],
  ['the transaction in another block', written({ blockHash: `0x${'9'.repeat(64)}` })],
  ['a failure', written({ succeeded: false })],
  ['another transaction', written({ transactionHash: `0x${'9'.repeat(64)}` })],
  ['a success without the transfer', written({ logs: [] })],
])('a second node that has %s does not confirm it', async (_, theirs) => {
  expect(await secondThatHas(theirs).hasReceipt(receipt, [payment])).toBe(false)
})

const settled = (transaction: string): ChainVerdict => ({ kind: 'settled', transaction, blockNumber: 1n })
const UNUSED: ChainVerdict = { kind: 'unused', headSeconds: 1, headNumber: 1n }

test.each([
  ['the same transaction', settled('0x1'), settled('0x1'), 'settled'],
  ['another transaction', settled('0x1'), settled('0x2'), 'unclear'],
  ['nothing', settled('0x1'), UNUSED, 'unclear'],
])('a use of which the second node finds %s', async (_, ours, theirs, kind) => {
  const rpc: JsonRpc = { call: () => Promise.resolve(null), close: () => Promise.resolve() }
  const second = createSecondNode(rpc, createReaderForTests({ verdict: theirs }), network)
  const reader = agreeWithSecond(createReaderForTests({ verdict: ours }), second)
  expect((await reader.findSettlement(payment)).kind).toBe(kind)
})
