import { PassThrough, Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { createBodyMemory } from './body-memory.ts'
import { readNodeStream } from './read-node-stream.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

test('a stream is read to its end', async () => {
  const read = await readNodeStream(Readable.from([Buffer.from('ab'), Buffer.from('c')]), { maxBytes: 3 })
  expect(read).toEqual(bytes('abc'))
})

test('a stream that is too large is refused at once, and later chunks are dropped', async () => {
  const stream = new PassThrough()
  const reading = readNodeStream(stream, { maxBytes: 3 })
  stream.write('abcd')
  expect(await reading).toBe('too large')
  for (let count = 0; count < 100; count += 1) stream.write(Buffer.alloc(10_000))
  await new Promise(resolve => stream.end(resolve))
  expect(stream.readableLength).toBe(0)
})

test.each([
  ['is destroyed', (stream: PassThrough) => stream.destroy()],
  ['fails', (stream: PassThrough) => stream.destroy(new Error('reset'))],
])('a stream that %s before its end is gone', async (_, end) => {
  const stream = new PassThrough()
  const reading = readNodeStream(stream, { maxBytes: 3 })
  stream.write('a')
  end(stream)
  expect(await reading).toBe('gone')
})

test('bodies above 64 KiB share the memory limit of their server, and release their part', async () => {
  const room = createBodyMemory(300_000)
  const [first, second] = [room.reserve(), room.reserve()]
  expect(first.hasRoom(200_000)).toBe(true)
  expect(second.hasRoom(65_536)).toBe(true)
  expect(second.hasRoom(100_001)).toBe(false)
  expect(second.hasRoom(100_000)).toBe(true)
  first.leave()
  expect(second.hasRoom(300_000)).toBe(true)
  const third = readNodeStream(Readable.from([Buffer.alloc(70_000)]), { maxBytes: 80_000, ...room.reserve() })
  expect(await third).toBe('no room')
})
