import { expect, test } from 'vitest'
import { createManualClock } from '../test-setup/manual-clock.ts'
import { within } from './within.ts'

test('work that ends in time gives its value or its failure, and no timer remains', async () => {
  const clock = createManualClock()
  expect(await within(clock, 1_000, Promise.resolve('done'))).toBe('done')
  await expect(within(clock, 1_000, Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(clock.waiting()).toBe(0)
})

test('work that takes longer gives undefined, and its later failure is ignored', async () => {
  const clock = createManualClock()
  let fail = (_: Error): void => undefined
  const work = new Promise<string>((_, reject) => (fail = reject))
  const waited = within(clock, 1_000, work)
  clock.pass(1_000)
  expect(await waited).toBeUndefined()
  fail(new Error('too late'))
  await new Promise(resolve => setImmediate(resolve))
})
