import { expect, test } from 'vitest'
import { createFakeClock } from '../testing/fake-clock.ts'
import { createJobBell } from './job-bell.ts'

test('IDM-03 who waits for a job is woken when it changes, whoever waits for another is not', async () => {
  const clock = createFakeClock()
  const bell = createJobBell(clock)
  const woken: string[] = []
  const wait = (jobKey: string, name: string): Promise<void> =>
    bell.wait(jobKey, 1_000).then(() => void woken.push(name))
  const all = [wait('a', 'first'), wait('a', 'second'), wait('b', 'third')]
  bell.ring('a')
  await clock.advance(0)
  expect(woken).toEqual(['first', 'second'])
  await clock.advance(1_000)
  expect(woken).toEqual(['first', 'second', 'third'])
  await Promise.all(all)
})

test('IDM-04 who waits for another process’s job looks again in time', async () => {
  const clock = createFakeClock()
  const waiting = createJobBell(clock).wait('a', 50)
  await clock.advance(50)
  await expect(waiting).resolves.toBeUndefined()
})

test('DDL-11 nothing is left of a wait that is over, rung or not', async () => {
  const clock = createFakeClock()
  const bell = createJobBell(clock)
  const rung = bell.wait('a', 60_000)
  bell.ring('a')
  await rung
  expect(clock.waiting()).toBe(0)
  const late = bell.wait('a', 10)
  await clock.advance(10)
  await late
  expect(clock.waiting()).toBe(0)
  bell.ring('a')
  bell.ring('never waited for')
})

test('a ring before the wait is not remembered: the record is read before each wait', async () => {
  const clock = createFakeClock()
  const bell = createJobBell(clock)
  bell.ring('a')
  let woken = false
  const waiting = bell.wait('a', 100).then(() => {
    woken = true
  })
  await clock.advance(99)
  expect(woken).toBe(false)
  await clock.advance(1)
  await waiting
})
