import { expect, test } from 'vitest'
import { readWebStream } from './read-web-stream.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

test('a body is read to its end, and a missing body is empty', async () => {
  expect(await readWebStream(new Response('abc').body, 3)).toEqual(bytes('abc'))
  expect(await readWebStream(null, 3)).toEqual(bytes(''))
})

test('a body that is too large is refused, and its stream is cancelled', async () => {
  let isCancelled = false
  const stream = new ReadableStream<Uint8Array>({
    pull: controller => controller.enqueue(bytes('ab')),
    cancel: () => void (isCancelled = true),
  })
  expect(await readWebStream(stream, 3)).toBe('too large')
  expect(isCancelled).toBe(true)
})

test('a body that breaks off rejects', async () => {
  const stream = new ReadableStream<Uint8Array>({ pull: controller => controller.error(new Error('reset')) })
  await expect(readWebStream(stream, 3)).rejects.toThrow('reset')
})
