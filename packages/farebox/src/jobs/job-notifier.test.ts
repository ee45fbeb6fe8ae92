import { expect, test } from 'vitest'
import { createFakeClock } from '../testing/fake-clock.ts'
import { createJobNotifier } from './job-notifier.ts'

test('IDM-03 a change of a job wakes its waiters, and not those of another job', async () => {
  const clock = createFakeClock()
  const notifier = createJobNotifier(clock)
  const woken: string[] = []
  const wait = (jobKey: string, name: string): Promise<void> =>
    notifier.wait(jobKey, 1_000).then(() => void woken.push(name))
  const all = [wait('a', 'first'), wait('a', 'second'), wait('b', 'third')]
  notifier.notify('a')
  await clock.advance(0)
  expect(woken).toEqual(['first', 'second'])
  await clock.advance(1_000)
  expect(woken).toEqual(['first', 'second', 'third'])
  await Promise.all(all)
})

test('IDM-04 a wait for another process’s job ends after its time', async () => {
  const clock = createFakeClock()
  const waiting = createJobNotifier(clock).wait('a', 50)
  await clock.advance(50)
  await expect(waiting).resolves.toBeUndefined()
})

test('DDL-11 a wait that has ended leaves nothing, whether it was notified or not', async () => {
  const clock = createFakeClock()
  const notifier = createJobNotifier(clock)
  const rung = notifier.wait('a', 60_000)
  notifier.notify('a')
  await rung
  expect(clock.waiting()).toBe(0)
  const late = notifier.wait('a', 10)
  await clock.advance(10)
  await late
  expect(clock.waiting()).toBe(0)
  notifier.notify('a')
  notifier.notify('never waited for')
})

test('a notification before the wait is lost, because the record is read before each wait', async () => {
  const clock = createFakeClock()
  const notifier = createJobNotifier(clock)
  notifier.notify('a')
  let woken = false
  const waiting = notifier.wait('a', 100).then(() => {
    woken = true
  })
  await clock.advance(99)
  expect(woken).toBe(false)
  await clock.advance(1)
  await waiting
})
