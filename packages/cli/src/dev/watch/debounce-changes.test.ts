import { createFakeClock, type FakeClock } from 'farebox/testing'
import { expect, test } from 'vitest'
import { debounceChanges, type Changes } from './debounce-changes.ts'

function sleep(clock: FakeClock, ms: number): Promise<void> {
  return new Promise(resolve => void clock.after(ms, resolve))
}

/** Debounces with a controlled clock; the test ends each action. */
function stage(): {
  readonly clock: FakeClock
  readonly acts: Changes[]
  readonly debouncer: ReturnType<typeof debounceChanges>
  finish(): Promise<void>
  /** The start-up time; initially zero. */
  readyAfter(ms: number): void
} {
  const clock = createFakeClock()
  const acts: Changes[] = []
  let readyMs = 0
  let finish = (): void => undefined
  const debouncer = debounceChanges(clock, {
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
    debouncer,
    readyAfter: ms => {
      readyMs = ms
    },
    async finish() {
      finish()
      await clock.advance(0)
    },
  }
}

test('the steps of one save count as one change', async () => {
  const { clock, acts, debouncer } = stage()
  const sinceMs = clock.nowMs()
  debouncer.add('a')
  await clock.advance(10)
  debouncer.add('b')
  debouncer.add('a')
  await clock.advance(50)
  expect(acts).toEqual([{ files: ['a', 'b'], isForced: false, sinceMs }])
})

test('1,000 changes within a second lead to one action', async () => {
  const { clock, acts, debouncer, finish } = stage()
  for (let count = 0; count < 1_000; count += 1) {
    debouncer.add(`file-${count % 7}`)
    // With occasional pauses, as on a busy machine.
    await clock.advance(count % 100 === 99 ? 100 : 0)
    if (count % 4 === 0) await clock.advance(1)
  }
  await clock.advance(1_000)
  await finish()
  await clock.advance(5_000)
  expect(acts.map(({ files }) => files.length)).toEqual([7])
})

test('changes during an action lead to exactly one more', async () => {
  const { clock, acts, debouncer, finish } = stage()
  debouncer.add('a')
  await clock.advance(100)
  for (let count = 0; count < 10; count += 1) {
    debouncer.add('b')
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

test('changes before the actor is ready are combined', async () => {
  const { clock, acts, debouncer, readyAfter } = stage()
  readyAfter(400)
  debouncer.add('a')
  await clock.advance(300)
  debouncer.add('b')
  await clock.advance(300)
  expect(acts).toEqual([])
  await clock.advance(300)
  expect(acts.map(({ files }) => files)).toEqual([['a', 'b']])
})

test('uninterrupted changes still lead to an action', async () => {
  const { clock, acts, debouncer } = stage()
  for (let count = 0; count < 300; count += 1) {
    debouncer.add('a')
    await clock.advance(10)
  }
  expect(acts).toHaveLength(1)
})

test('a change without a file is forced; after a stop there are no more actions', async () => {
  const { clock, acts, debouncer, finish } = stage()
  debouncer.add()
  await clock.advance(100)
  expect(acts).toEqual([{ files: [], isForced: true, sinceMs: expect.any(Number) }])
  debouncer.add('a')
  debouncer.stop()
  await finish()
  debouncer.add('b')
  await clock.advance(5_000)
  expect(acts).toHaveLength(1)
})
