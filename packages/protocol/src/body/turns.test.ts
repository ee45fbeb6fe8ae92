import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTurns } from './turns.ts'

const TIME = { nowMs: () => performance.now(), sleep: (ms: number) => delay(ms) }

function busy(ms: number): void {
  for (const endMs = performance.now() + ms; performance.now() < endMs;);
}

test('pieces are done one after the other, and others have their turn in between', async () => {
  const { take } = createTurns(TIME)
  const done: string[] = []
  const others = delay(5).then(() => done.push('another request'))
  await Promise.all([
    take(() => {
      busy(20)
      done.push('first')
    }),
    take(() => done.push('second')),
    others,
  ])
  expect(done).toEqual(['first', 'another request', 'second'])
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

test('of the time that pieces take, as much is left for others', async () => {
  const { take } = createTurns(TIME)
  const startedMs = performance.now()
  await Promise.all(Array.from({ length: 5 }, () => take(() => busy(20))))
  // Four rests come before the last piece.
  expect(performance.now() - startedMs).toBeGreaterThan(5 * 20 + 4 * 20 - 10)
})
