import { expect, test } from 'vitest'
import { createClockForTests } from '../test-setup/clock-for-tests.ts'
import { createBatchTiming } from './batch-timing.ts'

const BLOCK_MS = 2_000

function setScene() {
  const clock = createClockForTests()
  const batching = createBatchTiming(clock, 3)
  let wentAtMs: number | undefined
  const wait = (): void => {
    wentAtMs = undefined
    void batching.wait(BLOCK_MS, new AbortController().signal).then(() => {
      wentAtMs = clock.nowMs()
    })
  }
  return { clock, batching, wait, went: () => wentAtMs }
}

test('what waits goes at the next eighth of a block', async () => {
  const { clock, batching, wait, went } = setScene()
  batching.sent(2, false)
  batching.captured()
  wait()
  await clock.pass(245)
  expect(went()).toBeUndefined()
  await clock.pass(30)
  expect(went()).toBe(260)
})

test('a full transaction goes at once, also where what is over of the last one makes it full', async () => {
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

test('when a transaction ends, those who come with its answer join those who waited', async () => {
  const { clock, batching, wait, went } = setScene()
  batching.sent(2, false)
  batching.captured()
  wait()
  await clock.pass(50)
  batching.ended()
  await clock.pass(20)
  expect(went()).toBe(65)
})

test('where the last transaction went longer ago than that, nobody waits for more', async () => {
  const { clock, batching, wait, went } = setScene()
  batching.sent(2, false)
  await clock.pass(400)
  batching.captured()
  wait()
  await clock.pass(20)
  expect(went()).toBe(410)
})
