import { expect, test } from 'vitest'
import { steadyClock } from '../time/clock.ts'
import { createTurns } from './turns.ts'

test('pieces run one after the other, with time for other work in between', async () => {
  const done: string[] = []
  let nowMs = 0
  const { take } = createTurns({
    nowMs: () => nowMs,
    after(ms, callback) {
      nowMs += ms
      done.push(`${ms} ms for others`)
      return steadyClock.after(0, callback)
    },
  })
  await Promise.all([
    take(() => {
      nowMs += 20
      done.push('first')
    }),
    take(() => {
      nowMs += 3
      done.push('second')
    }),
  ])
  expect(done).toEqual([
    '0 ms for others',
    'first',
    '20 ms for others',
    '0 ms for others',
    'second',
    '3 ms for others',
  ])
})

test('a piece that throws rejects, and the next one runs', async () => {
  const { take } = createTurns(steadyClock)
  const broken = take(() => {
    throw new RangeError('no such piece')
  })
  const next = take(() => Promise.resolve('done'))
  await expect(broken).rejects.toThrow('no such piece')
  expect(await next).toBe('done')
})
