import { AUTHORIZATION_USED_TOPIC } from '@farebox/payments/chain/chain-proof'
import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import { findNetwork, type Network } from '@farebox/payments/networks'
import { addressTopic } from '@farebox/payments/src/chain/rpc-words'
import { expect, test } from 'vitest'
import { createPaymentForTests, receiptFor } from '../test-setup/receipts-for-tests.ts'
import { readUseEvents } from './use-events.ts'

const network = findNetwork('eip155:84532') as Network
const payments = [createPaymentForTests(1), createPaymentForTests(2)]
const receipt = receiptFor(network, payments)

function eventOf(number: number, changes: { readonly [field: string]: unknown } = {}): object {
  const { from, nonce } = createPaymentForTests(number).authorization
  const { transactionHash, blockHash } = receipt
  return {
    transactionHash,
    blockHash,
    topics: [AUTHORIZATION_USED_TOPIC, addressTopic(from), nonce],
    ...changes,
  }
}

async function readFrom(answer: unknown) {
  const asked: unknown[] = []
  const rpc: JsonRpc = {
    call: async (...call) => {
      asked.push(call)
      return await Promise.resolve(answer)
    },
    close: () => Promise.resolve(),
  }
  return { keys: await readUseEvents(rpc, network.asset.address, receipt, payments), asked }
}

test('one request names the block, the payers and the nonces, and its result is by payment', async () => {
  const { keys, asked } = await readFrom([eventOf(1), eventOf(2)])
  expect(keys).toEqual(new Set(['1', '2']))
  const { from } = createPaymentForTests().authorization
  const filter = {
    address: network.asset.address,
    fromBlock: '0x64',
    toBlock: '0x64',
    topics: [AUTHORIZATION_USED_TOPIC, [addressTopic(from)], payments.map(one => one.authorization.nonce)],
  }
  expect(asked).toEqual([['eth_getLogs', [filter]]])
})

test.each([
  ['in another transaction', { transactionHash: `0x${'12'.repeat(32)}` }],
  ['in a block of another hash', { blockHash: `0x${'12'.repeat(32)}` }],
  ['of another nonce', { topics: [AUTHORIZATION_USED_TOPIC, '0x1', '0x2'] }],
  ['without topics', { topics: undefined }],
])('an event %s shows no use', async (_, changes) => {
  expect((await readFrom([eventOf(1, changes), null, 'event', eventOf(2)])).keys).toEqual(new Set(['2']))
})

test('an answer that is not a list shows no use', async () => {
  expect((await readFrom({})).keys).toEqual(new Set())
})
