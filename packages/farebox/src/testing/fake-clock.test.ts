import { sleep } from '@farebox/protocol/time/clock'
import { describe, expect, test } from 'vitest'
import { createFakeClock } from './fake-clock.ts'

describe('the fake clock', () => {
  test('does not move until it is advanced', async () => {
    const clock = createFakeClock(1_000)
    let called = false
    clock.after(0, () => {
      called = true
    })
    await new Promise(setImmediate)
    expect([clock.nowMs(), called, clock.waiting()]).toEqual([1_000, false, 1])
    await clock.advance(0)
    expect([clock.nowMs(), called, clock.waiting()]).toEqual([1_000, true, 0])
  })

  test('calls the timers that become due in order, each at its own time', async () => {
    const clock = createFakeClock(0)
    const calls: string[] = []
    for (const [name, ms] of [
      ['late', 30],
      ['early', 10],
      ['also early', 10],
      ['never', 31],
    ] as const) {
      clock.after(ms, () => calls.push(`${name} at ${clock.nowMs()}`))
    }
    await clock.advance(30)
    expect(calls).toEqual(['early at 10', 'also early at 10', 'late at 30'])
  })

  test('calls timers that are set meanwhile, also by continuing promises', async () => {
    const clock = createFakeClock(0)
    const woken: number[] = []
    const loop = async (): Promise<void> => {
      for (let round = 0; round < 3; round += 1) {
        await sleep(clock, 10)
        woken.push(clock.nowMs())
      }
    }
    const looping = loop()
    await clock.advance(100)
    await looping
    expect([woken, clock.nowMs()]).toEqual([[10, 20, 30], 100])
  })

  test('does not call cancelled timers', async () => {
    const clock = createFakeClock(0)
    const cancel = clock.after(10, () => expect.unreachable())
    cancel()
    await clock.advance(20)
    expect(clock.waiting()).toBe(0)
  })
})
