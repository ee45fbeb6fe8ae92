import { text } from 'node:stream/consumers'
import { createManualClock } from '@farebox/protocol/src/test-setup/manual-clock'
import { untilAborted } from '@farebox/protocol/src/test-setup/until'
import { expect, test } from 'vitest'
import { createEventStreams } from './event-streams.ts'
import type { ServerEvent } from './route.ts'

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))
const never = new AbortController().signal

/** Says so when it begins and when it is told to end; in between nothing happens. */
function silent(told: string[]): (signal: AbortSignal) => AsyncGenerator<ServerEvent> {
  return async function* (signal) {
    told.push('begun')
    await untilAborted(signal)
    told.push('ended')
    yield* []
  }
}

test('an event is its name, its id and its data as JSON, each on a line, and a stream ends with its source', async () => {
  const streams = createEventStreams(createManualClock())
  const source = async function* (): AsyncGenerator<ServerEvent> {
    await turn()
    yield { event: 'job', id: '7', data: { words: 'a\nb', more: null } }
    yield { event: 'bye', data: 1 }
  }
  expect(await text(streams.open('a', source, never))).toBe(
    ': open\n\nevent: job\nid: 7\ndata: {"words":"a\\nb","more":null}\n\nevent: bye\ndata: 1\n\n',
  )
})

test('where nothing happens a comment is sent every 15 seconds, and after five minutes the stream ends', async () => {
  const clock = createManualClock()
  const told: string[] = []
  const read = text(createEventStreams(clock).open('a', silent(told), never))
  for (let passed = 0; passed < 300; passed += 15) {
    await turn()
    await turn()
    clock.pass(15_000)
  }
  expect((await read).match(/: still open\n\n/g)?.length).toBe(19)
  await turn()
  expect(told).toEqual(['begun', 'ended'])
})

test('a caller has so many streams and all together so many; one that ends makes room', async () => {
  const streams = createEventStreams(createManualClock(), { perCaller: 2, inAll: 3 })
  const told: string[] = []
  const leaving = new AbortController()
  const first = text(streams.open('a', silent(told), leaving.signal))
  const others = ['a', 'b'].map(caller => text(streams.open(caller, silent(told), never)))
  expect(() => streams.open('a', silent(told), never)).toThrow('too many event streams of yours')
  expect(() => streams.open('c', silent(told), never)).toThrow('too many event streams are open')
  leaving.abort()
  await first
  await turn()
  others.push(text(streams.open('c', silent(told), never)))
  streams.end()
  expect(await Promise.all(others)).toEqual([': open\n\n', ': open\n\n', ': open\n\n'])
})

test('an error of the source ends its stream and no other', async () => {
  const streams = createEventStreams(createManualClock())
  const other = text(streams.open('a', silent([]), never))
  const failing = async function* (): AsyncGenerator<ServerEvent> {
    await turn()
    yield { event: 'one', data: 1 }
    throw new Error('the database is away')
  }
  await expect(text(streams.open('a', failing, never))).rejects.toThrow('the database is away')
  streams.end()
  expect(await other).toBe(': open\n\n')
})

test('a caller that takes nothing for 30 seconds is cut off', async () => {
  const clock = createManualClock()
  const endless = async function* (): AsyncGenerator<ServerEvent> {
    for (let n = 0; ; n++) {
      await turn()
      yield { event: 'more', data: n }
    }
  }
  const stream = createEventStreams(clock).open('a', endless, never)
  // It takes the beginning, and then no more.
  await new Promise(resolve => stream.once('readable', resolve))
  expect(stream.read()).toBe(': open\n\n')
  for (let n = 0; n < 10; n++) await turn()
  expect(stream.destroyed).toBe(false)
  clock.pass(30_001)
  for (let n = 0; n < 10; n++) await turn()
  expect(stream.destroyed).toBe(true)
})
