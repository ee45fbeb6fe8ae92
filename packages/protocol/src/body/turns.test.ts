import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTurns } from './turns.ts'

const TIME = { nowMs: () => performance.now(), sleep: (ms: number) => delay(ms) }

test('pieces are done one after the other, and others have their turn in between', async () => {
  const done: string[] = []
  let nowMs = 0
  const { take } = createTurns({
    nowMs: () => nowMs,
    sleep: async ms => {
      nowMs += ms
      done.push(`${ms} ms for others`)
      await delay(0)
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

test('a piece that throws is told so, and the next one has its turn', async () => {
  const { take } = createTurns(TIME)
  const broken = take(() => {
    throw new RangeError('no such piece')
  })
  const next = take(() => Promise.resolve('done'))
  await expect(broken).rejects.toThrow('no such piece')
  expect(await next).toBe('done')
})
