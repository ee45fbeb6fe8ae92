import { createFakeClock, type FakeClock } from 'farebox/testing'
import { expect, test } from 'vitest'
import { gatherChanges, type Changes } from './gather-changes.ts'

function sleep(clock: FakeClock, ms: number): Promise<void> {
  return new Promise(resolve => void clock.after(ms, resolve))
}

/** Gathers with a clock of its own; each act ends when it is told to. */
function stage(): {
  readonly clock: FakeClock
  readonly acts: Changes[]
  readonly gatherer: ReturnType<typeof gatherChanges>
  finish(): Promise<void>
  /** How long it takes to get ready; at first no time. */
  readyAfter(ms: number): void
} {
  const clock = createFakeClock()
  const acts: Changes[] = []
  let readyMs = 0
  let finish = (): void => undefined
  const gatherer = gatherChanges(clock, {
    ready: () => sleep(clock, readyMs),
    act: changes => {
      acts.push(changes)
      return new Promise(resolve => {
        finish = resolve
      })
    },
  })
  return {
    clock,
    acts,
    gatherer,
    readyAfter: ms => {
      readyMs = ms
    },
    async finish() {
      finish()
      await clock.advance(0)
    },
  }
}

test('the steps of one save are one change', async () => {
  const { clock, acts, gatherer } = stage()
  const sinceMs = clock.nowMs()
  gatherer.add('a')
  await clock.advance(10)
  gatherer.add('b')
  gatherer.add('a')
  await clock.advance(50)
  expect(acts).toEqual([{ files: ['a', 'b'], isForced: false, sinceMs }])
})

test('1,000 changes within a second are acted upon once', async () => {
  const { clock, acts, gatherer, finish } = stage()
  for (let count = 0; count < 1_000; count += 1) {
    gatherer.add(`file-${count % 7}`)
    // With pauses now and then, as a busy machine makes them.
    await clock.advance(count % 100 === 99 ? 100 : 0)
    if (count % 4 === 0) await clock.advance(1)
  }
  await clock.advance(1_000)
  await finish()
  await clock.advance(5_000)
  expect(acts.map(({ files }) => files.length)).toEqual([7])
})

test('what comes while it is acted upon leads to exactly one more', async () => {
  const { clock, acts, gatherer, finish } = stage()
  gatherer.add('a')
  await clock.advance(100)
  for (let count = 0; count < 10; count += 1) {
    gatherer.add('b')
    await clock.advance(100)
  }
  expect(acts).toHaveLength(1)
  await finish()
  await clock.advance(100)
  expect(acts.map(({ files }) => files)).toEqual([['a'], ['b']])
  await finish()
  await clock.advance(5_000)
  expect(acts).toHaveLength(2)
})

test('what comes before it is ready to act is acted upon together', async () => {
  const { clock, acts, gatherer, readyAfter } = stage()
  readyAfter(400)
  gatherer.add('a')
  await clock.advance(300)
  gatherer.add('b')
  await clock.advance(300)
  expect(acts).toEqual([])
  await clock.advance(300)
  expect(acts.map(({ files }) => files)).toEqual([['a', 'b']])
})

test('whoever never pauses is acted upon all the same', async () => {
  const { clock, acts, gatherer } = stage()
  for (let count = 0; count < 300; count += 1) {
    gatherer.add('a')
    await clock.advance(10)
  }
  expect(acts).toHaveLength(1)
})

test('without a file it is forced; after a stop nothing is acted upon', async () => {
  const { clock, acts, gatherer, finish } = stage()
  gatherer.add()
  await clock.advance(100)
  expect(acts).toEqual([{ files: [], isForced: true, sinceMs: expect.any(Number) }])
  gatherer.add('a')
  gatherer.stop()
  await finish()
  gatherer.add('b')
  await clock.advance(5_000)
  expect(acts).toHaveLength(1)
})
