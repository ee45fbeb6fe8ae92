import { text } from 'node:stream/consumers'
import { createManualClock } from '@farebox/protocol/src/test-setup/manual-clock'
import { untilAborted } from '@farebox/protocol/src/test-setup/until'
import { expect, test } from 'vitest'
import { createEventStreams } from './event-streams.ts'
import type { ServerEvent } from './route.ts'

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))
const never = new AbortController().signal

/** A source without events that records when it starts and when it is aborted. */
function silent(told: string[]): (signal: AbortSignal) => AsyncGenerator<ServerEvent> {
  return async function* (signal) {
    told.push('begun')
    await untilAborted(signal)
    told.push('ended')
    yield* []
  }
}

test('an event is sent as its name, id and JSON data, one line each, and a stream ends with its source', async () => {
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

test('an idle stream gets a comment every 15 seconds, and ends after five minutes', async () => {
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

test('the streams of one caller and of all callers are limited, and an ended stream makes room for another', async () => {
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

test('an error of the source ends only its own stream', async () => {
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

test('a caller that reads nothing for 30 seconds is disconnected', async () => {
  const clock = createManualClock()
  const endless = async function* (): AsyncGenerator<ServerEvent> {
    for (let n = 0; ; n++) {
      await turn()
      yield { event: 'more', data: n }
    }
  }
  const stream = createEventStreams(clock).open('a', endless, never)
  // The caller reads the first bytes and then nothing more.
  await new Promise(resolve => stream.once('readable', resolve))
  expect(stream.read()).toBe(': open\n\n')
  for (let n = 0; n < 10; n++) await turn()
  expect(stream.destroyed).toBe(false)
  clock.pass(30_001)
  for (let n = 0; n < 10; n++) await turn()
  expect(stream.destroyed).toBe(true)
})
