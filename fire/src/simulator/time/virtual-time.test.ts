import { expect, test } from 'vitest'
import { startProcess } from './virtual-process.ts'
import { createVirtualTime } from './virtual-time.ts'

test('events happen in order of time, and events of the same time in the order they were scheduled', async () => {
  const time = createVirtualTime(1_000)
  const seen: string[] = []
  for (const [name, delayMs] of [
    ['late', 20],
    ['early', 5],
    ['twin', 5],
    ['never', 999],
  ] as const)
    time.after(delayMs, () => seen.push(`${name} at ${time.nowMs()}`))
  time.after(10, () => seen.push('cancelled'))()
  await time.runUntil(1_100)
  expect(seen).toEqual(['early at 1005', 'twin at 1005', 'late at 1020'])
  expect(time.nowMs()).toBe(1_100)
})

test('all promises settle between two events, however long their chain', async () => {
  const time = createVirtualTime(0)
  const seen: string[] = []
  time.after(1, () => {
    void (async () => {
      for (let step = 0; step < 500; step += 1) await Promise.resolve()
      seen.push('chain')
    })()
  })
  time.after(1, () => seen.push('next event'))
  await time.runUntil(1)
  expect(seen).toEqual(['chain', 'next event'])
})

test('after a clock jump, due events happen late, in order', async () => {
  const time = createVirtualTime(0)
  const seen: number[] = []
  time.after(50, () => seen.push(time.nowMs()))
  time.after(10, () => seen.push(time.nowMs()))
  time.leapTo(1_000)
  await time.runUntil(1_000)
  expect(seen).toEqual([1_000, 1_000])
})

test('a resumed process continues with its due events, and a dead one has none', async () => {
  const time = createVirtualTime(0)
  const process = startProcess(time, 'one', 500)
  const seen: string[] = []
  process.after(10, () => seen.push(`timer at ${time.nowMs()}`))
  process.after(20, () => seen.push('cancelled'))()
  process.pause(100)
  process.deliver(() => seen.push(`message at ${time.nowMs()}`))
  await time.runUntil(200)
  expect(seen).toEqual(['message at 100', 'timer at 100'])
  expect(process.nowMs()).toBe(700)
  process.after(10, () => seen.push('never'))
  process.crash()
  process.deliver(() => seen.push('never'))
  await time.runUntil(400)
  expect(seen).toHaveLength(2)
})
