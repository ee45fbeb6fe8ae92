import { expect, test } from 'vitest'
import { createManualClock } from '../test-setup/manual-clock.ts'
import { sleep, steadyClock, systemClock } from './clock.ts'

test('D17 a delay longer than a timer allows does not fire at once', async () => {
  let fired = false
  const cancel = systemClock.after(2 ** 31, () => {
    fired = true
  })
  await new Promise<void>(resolve => void systemClock.after(5, resolve))
  cancel()
  expect(fired).toBe(false)
})

test('the steady clock shows Unix time and never goes back', () => {
  const before = steadyClock.nowMs()
  expect(Math.abs(before - systemClock.nowMs())).toBeLessThan(86_400_000)
  expect(steadyClock.nowMs()).toBeGreaterThanOrEqual(before)
})

test('a sleep ends with its delay, and keeps no listener on its signal', async () => {
  const clock = createManualClock()
  const signal = countListeners(new AbortController().signal)
  const asleep = sleep(clock, 1_000, signal)
  expect([clock.waiting(), signal.listeners()]).toEqual([1, 1])
  clock.pass(1_000)
  await asleep
  expect([clock.waiting(), signal.listeners()]).toEqual([0, 0])
})

test('a sleep resolves as soon as its signal aborts, and keeps no timer', async () => {
  const clock = createManualClock()
  const stopping = new AbortController()
  const asleep = sleep(clock, 1_000, stopping.signal)
  stopping.abort(new Error('stopped'))
  await asleep
  await sleep(clock, 1_000, stopping.signal)
  expect(clock.waiting()).toBe(0)
})

function countListeners(signal: AbortSignal) {
  let count = 0
  return {
    aborted: false,
    addEventListener(type: 'abort', listener: () => void) {
      count += 1
      signal.addEventListener(type, listener)
    },
    removeEventListener(type: 'abort', listener: () => void) {
      count -= 1
      signal.removeEventListener(type, listener)
    },
    listeners: () => count,
  }
}
