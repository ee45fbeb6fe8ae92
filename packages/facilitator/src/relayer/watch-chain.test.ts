import { findNetwork } from '@farebox/payments/networks'
import { silentLog } from '@farebox/server/log'
import { expect, test } from 'vitest'
import { createFacilitatorMetrics } from '../metrics.ts'
import { createKnownChain } from '../chain/known-chain.ts'
import type { Relayer } from './account/relayer-account.ts'
import type { RelayerNode } from './account/relayer-node.ts'
import { watchChain } from './watch-chain.ts'

const START_MS = 1_800_000_000_000
const [network] = [findNetwork('eip155:84532')]

/** A watch of a node whose newest block has the time given by `headSeconds`, with its own clock. */
async function stage(headSeconds: (nowSeconds: number) => number) {
  let nowMs = START_MS
  let wake = (): void => undefined
  const clock = {
    nowMs: () => nowMs,
    after(_: number, callback: () => void) {
      wake = callback
      return () => undefined
    },
  }
  const rpc = {
    call: (method: string, [block]: readonly unknown[]) =>
      Promise.resolve(
        method === 'eth_chainId'
          ? '0x14a34'
          : {
              number: block === '0x0' ? '0x0' : '0x10',
              timestamp: `0x${Math.floor(headSeconds(nowMs / 1_000)).toString(16)}`,
              hash: `0x${'1'.repeat(64)}`,
            },
      ),
  }
  if (network === undefined) throw new Error('no network')
  const node = {
    balance: () => Promise.resolve(10n ** 20n),
    fees: () => Promise.resolve({ baseFeePerGas: 1n, maxPriorityFeePerGas: 1n, maxFeePerGas: 3n }),
  } as unknown as RelayerNode
  const watch = await watchChain({
    chain: createKnownChain(rpc as never, network, clock),
    node,
    relayers: [{ address: `0x${'2'.repeat(40)}` } as Relayer],
    clock,
    log: silentLog,
    metrics: createFacilitatorMetrics(() => undefined),
    maxFeePerGas: 10n ** 12n,
    minSettlementsLeft: 1,
    onReorganised: () => undefined,
    aheadOfNodeSeconds: () => 0,
  })
  return {
    watch,
    aheadSeconds: () => watch.chainNow() - Math.floor(nowMs / 1_000),
    async pass(ms: number) {
      for (const endMs = nowMs + ms; nowMs < endMs;) {
        nowMs += 2_000
        wake()
        await new Promise(resolve => setTimeout(resolve, 1))
      }
    },
    async close() {
      const closed = watch.close()
      wake()
      await closed
    },
  }
}

test('D41a a block from the future counts as no answer: payments are not judged by it, and it is not ready', async () => {
  const odd = await stage(nowSeconds => nowSeconds + 31)
  expect(odd.aheadSeconds()).toBe(0)
  expect(odd.watch.unusable()).toBe(
    "the node's newest block is 31 s ahead of our clock: the time of the node or of this machine is wrong",
  )
  await odd.close()
})

test('D41a a node whose time was wrong is usable again after the next check', async () => {
  let aheadSeconds = 3_600
  const { pass, close, watch } = await stage(nowSeconds => nowSeconds + aheadSeconds)
  expect(watch.unusable()).toBeDefined()
  aheadSeconds = 0
  await pass(2_000)
  expect(watch.unusable()).toBeUndefined()
  await close()
})

test('a head a little ahead of our clock counts, also when a node that is behind is asked next', async () => {
  let aheadSeconds = 20
  const { pass, close, ...seen } = await stage(nowSeconds => nowSeconds + aheadSeconds)
  expect([seen.aheadSeconds(), seen.watch.unusable()]).toEqual([20, undefined])
  aheadSeconds = 0
  await pass(10_000)
  expect(seen.aheadSeconds()).toBe(10)
  await close()
})
