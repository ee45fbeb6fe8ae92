import { BlockFromFuture } from '@farebox/payments/chain/block-time'
import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import { findNetwork, type Network } from '@farebox/payments/networks'
import { systemClock } from '@farebox/protocol/time/clock'
import { expect, test } from 'vitest'
import { createKnownChain } from './known-chain.ts'

const network = findNetwork('eip155:84532') as Network
const START_MS = Date.UTC(2027, 0, 1)

/** A node with the block hashes of the test: the hash of block n is the nth name of the list. */
function stageChain(names: string) {
  const node = { names, chainId: network.chainId, aheadSeconds: 0 }
  const time = { nowMs: START_MS }
  const rpc: JsonRpc = {
    async call(method, [block]) {
      await Promise.resolve()
      if (method === 'eth_chainId') return `0x${node.chainId.toString(16)}`
      const number = block === 'latest' ? node.names.length - 1 : Number(block)
      const hash = node.names[number]
      if (hash === undefined) return null
      const seconds = START_MS / 1_000 + number + node.aheadSeconds
      return { number: `0x${number.toString(16)}`, timestamp: `0x${seconds.toString(16)}`, hash }
    },
    close: () => Promise.resolve(),
  }
  const chain = createKnownChain(rpc, network, { ...systemClock, nowMs: () => time.nowMs })
  return {
    node,
    time,
    chain,
    /** Shows a chain, and checks it two seconds later. */
    async look(shown: string) {
      node.names = shown
      time.nowMs += 2_000
      return await chain.look()
    },
  }
}

test('a chain that grows is the same, and its head is new only once', async () => {
  const { look } = stageChain('ab')
  expect(await look('ab')).toMatchObject({ kind: 'same', isNew: true })
  expect(await look('ab')).toMatchObject({ kind: 'same', isNew: false })
  expect(await look('abcd')).toMatchObject({ kind: 'same', isNew: true, head: { number: 3n, hash: 'd' } })
})

test('a replaced block is a reorganisation from the first block after the unchanged ones', async () => {
  const { look } = stageChain('abc')
  for (const shown of ['abc', 'abcd', 'abcde']) await look(shown)
  expect(await look('abcxyz')).toMatchObject({ kind: 'reorganised', from: 3n, head: { hash: 'z' } })
  expect(await look('abcxyz')).toMatchObject({ kind: 'same' })
})

test('a block that appeared and vanished between two checks is noticed if its receipt was accepted', async () => {
  const { chain, look } = stageChain('abc')
  await look('abc')
  chain.note({ number: 3n, hash: 'd' })
  expect(await look('abcxy')).toMatchObject({ kind: 'reorganised', from: 3n })
})

test('a node that is behind shows the same chain, and its head is not new', async () => {
  const { look } = stageChain('abcd')
  await look('abc')
  await look('abcd')
  expect(await look('abc')).toMatchObject({ kind: 'same', isNew: false })
})

test('another chain id, or another first block, is another chain', async () => {
  const staged = stageChain('abc')
  await staged.look('abc')
  staged.time.nowMs += 30_000
  expect(await staged.look('zbc')).toMatchObject({ kind: 'other-chain' })
  staged.node.chainId = 1
  expect(await staged.look('abc')).toMatchObject({ kind: 'other-chain' })
})

test('a chain without any of the blocks seen over more than the finality time is another chain', async () => {
  const staged = stageChain('abc')
  await staged.look('abc')
  staged.time.nowMs += network.finalitySeconds * 1_000
  await staged.look('abcd')
  expect(await staged.look('awxyz')).toMatchObject({ kind: 'other-chain' })
})

test('a head more than half a minute ahead of our clock is refused', async () => {
  const staged = stageChain('abc')
  staged.node.aheadSeconds = 60
  await expect(staged.chain.look()).rejects.toThrow(BlockFromFuture)
})

test('the newest block is checked before something is recorded', async () => {
  const { chain, node, look } = stageChain('abc')
  expect(await chain.hasNewest()).toBeUndefined()
  await look('abc')
  expect(await chain.hasNewest()).toBe(true)
  node.names = 'abx'
  expect(await chain.hasNewest()).toBe(false)
})
