import { findNetwork } from '@farebox/payments/networks'
import { silentLog } from '@farebox/server/log'
import { expect, test } from 'vitest'
import { createMetrics } from '../metrics.ts'
import { createChainReader } from './chain-reader.ts'
import type { Relayer } from './relayer.ts'
import type { RelayerNode } from './relayer-node.ts'
import { watchChain } from './watch-chain.ts'

const START_MS = 1_800_000_000_000
const [network] = [findNetwork('eip155:84532')]

/** A watch of a node whose newest block has the time that `headSeconds` says, looked at by a clock of its own. */
async function stage(headSeconds: (nowSeconds: number) => number) {
  let nowMs = START_MS
  let wake = (): void => undefined
  const clock = {
    nowMs: () => nowMs,
    sleep: () =>
      new Promise<void>(resolve => {
        wake = resolve
      }),
  }
  const rpc = {
    call: () =>
      Promise.resolve({
        number: '0x10',
        timestamp: `0x${Math.floor(headSeconds(nowMs / 1_000)).toString(16)}`,
        hash: `0x${'1'.repeat(64)}`,
      }),
  }
  if (network === undefined) throw new Error('no network')
  const node = {
    balance: () => Promise.resolve(10n ** 20n),
    fees: () => Promise.resolve({ baseFeePerGas: 1n, maxPriorityFeePerGas: 1n, maxFeePerGas: 3n }),
  } as unknown as RelayerNode
  const watch = await watchChain({
    reader: createChainReader(rpc as never, network, clock),
    node,
    relayer: { address: `0x${'2'.repeat(40)}` } as Relayer,
    clock,
    log: silentLog,
    metrics: createMetrics(() => undefined),
    maxFeePerGas: 10n ** 12n,
    minSettlementsLeft: 1,
  })
  return {
    watch,
    aheadSeconds: () => watch.chainNow() - Math.floor(nowMs / 1_000),
    async pass(ms: number) {
      for (const endMs = nowMs + ms; nowMs < endMs;) {
        nowMs += 5_000
        wake()
        await new Promise(resolve => setImmediate(resolve))
      }
    },
    async close() {
      const closed = watch.close()
      wake()
      await closed
    },
  }
}

test('a block of a day that has not come counts as no answer: payments are not judged by it, and it is not ready', async () => {
  const odd = await stage(nowSeconds => nowSeconds * 1_000)
  expect([odd.aheadSeconds(), odd.watch.unfit()]).toEqual([0, 'the chain cannot be reached'])
  await odd.close()
})

test('a head ahead of our clock counts, while nodes that are behind are asked; one that was wrong not for good', async () => {
  let aheadSeconds = 3_600
  const { pass, close, ...seen } = await stage(nowSeconds => nowSeconds + aheadSeconds)
  expect([seen.aheadSeconds(), seen.watch.unfit()]).toEqual([3_600, undefined])
  aheadSeconds = 0
  await pass(300_000)
  expect(seen.aheadSeconds()).toBe(3_300)
  await pass(305_000)
  expect(seen.aheadSeconds()).toBe(0)
  await close()
})
