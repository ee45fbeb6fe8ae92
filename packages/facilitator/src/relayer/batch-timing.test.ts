import { expect, test } from 'vitest'
import { createClockForTests } from '../test-setup/clock-for-tests.ts'
import { createBatchTiming } from './batch-timing.ts'

const BLOCK_MS = 2_000

function setScene() {
  const clock = createClockForTests()
  const batching = createBatchTiming(clock, 3)
  let wentAtMs: number | undefined
  const wait = (blockMs = BLOCK_MS): void => {
    wentAtMs = undefined
    void batching.wait(blockMs, new AbortController().signal).then(() => {
      wentAtMs = clock.nowMs()
    })
  }
  return { clock, batching, wait, went: () => wentAtMs }
}

test('a waiting payment is sent at the next eighth of a block', async () => {
  const { clock, batching, wait, went } = setScene()
  batching.sent(2, false)
  batching.captured()
  wait()
  await clock.pass(245)
  expect(went()).toBeUndefined()
  await clock.pass(30)
  expect(went()).toBe(260)
})

test('a full transaction is sent at once, also when payments left over from the last one make it full', async () => {
  const { clock, batching, wait, went } = setScene()
  batching.sent(2, false)
  wait()
  await clock.pass(20)
  for (let count = 0; count < 3; count += 1) batching.captured()
  await clock.pass(5)
  expect(went()).toBe(25)
  batching.sent(3, true)
  wait()
  await clock.pass(5)
  expect(went()).toBe(30)
})

test('when a transaction ends, payments that follow its response join the waiting ones', async () => {
  const { clock, batching, wait, went } = setScene()
  batching.sent(2, false)
  batching.captured()
  wait()
  await clock.pass(50)
  batching.ended()
  await clock.pass(20)
  expect(went()).toBe(65)
})

test('when the last transaction was sent longer ago than that, no payment waits for more', async () => {
  const { clock, batching, wait, went } = setScene()
  batching.sent(2, false)
  await clock.pass(400)
  batching.captured()
  wait()
  await clock.pass(20)
  expect(went()).toBe(410)
})

test('for a while after a transaction with several payments, a single payment waits for others', async () => {
  const { clock, batching } = setScene()
  expect(batching.hasCompany()).toBe(false)
  batching.sent(1, false)
  expect(batching.hasCompany()).toBe(false)
  batching.sent(2, false)
  batching.sent(1, false)
  await clock.pass(245)
  expect(batching.hasCompany()).toBe(true)
  await clock.pass(10)
  expect(batching.hasCompany()).toBe(false)
})

test('when nothing is in flight a payment waits for others only, not for a slot of the block', async () => {
  const { clock, batching, wait, went } = setScene()
  batching.sent(2, false)
  batching.captured()
  wait(0)
  await clock.pass(20)
  expect(went()).toBe(10)
})

test('a clock that is set back delays nothing for longer than a slot', async () => {
  const clock = createClockForTests()
  let setBackMs = 0
  const batching = createBatchTiming({ ...clock, nowMs: () => clock.nowMs() - setBackMs }, 3)
  batching.sent(2, false)
  setBackMs = 3_600_000
  expect(batching.hasCompany()).toBe(false)
  let isOver = false
  void batching.wait(BLOCK_MS, new AbortController().signal).then(() => {
    isOver = true
  })
  await clock.pass(255)
  expect(isOver).toBe(false)
  await clock.pass(10)
  expect(isOver).toBe(true)
})
