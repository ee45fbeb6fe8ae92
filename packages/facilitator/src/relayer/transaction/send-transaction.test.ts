import { silentLog } from '@farebox/server/log'
import { expect, test } from 'vitest'
import type { OpenTransaction } from '../../ledger/settlement-ledger.ts'
import { createFacilitatorMetrics } from '../../metrics.ts'
import { createClockForTests } from '../../test-setup/clock-for-tests.ts'
import type { RelayerBroadcast, RelayerNode } from '../account/relayer-node.ts'
import { beginAnew, beginSending, sendSettlement } from './send-transaction.ts'

const BLOCK_MS = 2_000

function setScene(answer: RelayerBroadcast) {
  const clock = createClockForTests()
  const given: { readonly raw: string; readonly blockMs: number | undefined }[] = []
  // Only the parts of a node and of a transaction that are used.
  const node = {
    broadcast: async (raw: string, blockMs?: number) => {
      given.push({ raw, blockMs })
      return await Promise.resolve(answer)
    },
  } as RelayerNode
  const parts = { node, clock, log: silentLog, metrics: createFacilitatorMetrics(), blockMs: () => BLOCK_MS }
  const transaction = { hash: '0x1', nonce: 4, raw: '0xraw' } as OpenTransaction
  const sending = beginSending(clock.nowMs())
  return { clock, given, sending, send: () => sendSettlement(parts, transaction, sending) }
}

test('a transaction that the node accepted is sent again unchanged after two blocks, without waiting for a block', async () => {
  const { clock, given, sending, send } = setScene({ kind: 'sent' })
  await clock.pass(100)
  await send()
  expect(sending.atMs).toBe(100 + 2 * BLOCK_MS)
  await clock.pass(2 * BLOCK_MS)
  await send()
  expect(given).toEqual([
    { raw: '0xraw', blockMs: BLOCK_MS },
    { raw: '0xraw', blockMs: undefined },
  ])
  // Sending it again must not delay the increase of its fees.
  expect(sending.waitsSinceMs).toBe(100)
})

test('a temporarily refused transaction is sent again with growing pauses until its nonce is used', async () => {
  const full = setScene({ kind: 'refused', why: 'other', message: 'txpool is full' })
  await full.send()
  expect(full.sending.atMs).toBe(250)
  await full.clock.pass(250)
  await full.send()
  expect(full.sending.atMs).toBe(250 + 500)
  const replaced = setScene({ kind: 'refused', why: 'underpriced', message: 'replacement underpriced' })
  await replaced.send()
  expect(replaced.sending.atMs).toBe(Number.POSITIVE_INFINITY)
})

test('a transaction that was signed again waits for its block from then on, like a new one', async () => {
  const { clock, given, sending, send } = setScene({ kind: 'sent' })
  await send()
  await clock.pass(9_000)
  beginAnew(sending, clock.nowMs())
  await send()
  expect(sending.waitsSinceMs).toBe(9_000)
  expect(given.map(({ blockMs }) => blockMs)).toEqual([BLOCK_MS, BLOCK_MS])
})

test('a used nonce is counted: after a few times another transaction is assumed to have used it', async () => {
  const { sending, send } = setScene({ kind: 'refused', why: 'nonce-used', message: 'nonce too low' })
  await send()
  expect(sending.nonceUsed).toBe(1)
})
