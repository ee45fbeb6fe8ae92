import { createServer } from 'node:net'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { noteWhatRuns } from './left-behind.ts'

test('a timer set after the job began is left behind, until it is cleared', () => {
  const left = noteWhatRuns()
  expect(left.isClean()).toBe(true)
  const timer = setInterval(() => undefined, 60_000)
  expect(left.isClean()).toBe(false)
  clearInterval(timer)
  expect(left.isClean()).toBe(true)
})

test('a timer set before the job is not left behind', () => {
  const timer = setInterval(() => undefined, 60_000)
  expect(noteWhatRuns().isClean()).toBe(true)
  clearInterval(timer)
})

test('a listening server is left behind', async () => {
  const left = noteWhatRuns()
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  expect(left.isClean()).toBe(false)
  server.close()
  await once(server, 'close')
})
