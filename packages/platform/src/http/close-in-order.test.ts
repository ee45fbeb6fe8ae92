import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { createManualClock } from '@farebox/protocol/src/test-setup/manual-clock'
import type { FastifyInstance } from 'fastify'
import { untilAborted } from '@farebox/protocol/src/test-setup/until'
import { expect, test } from 'vitest'
import { echoRoute } from '../test-setup/echo-route.ts'
import { stageApps } from '../test-setup/stage-apps.ts'
import { defineRoute } from './route.ts'

const staged = stageApps()

test('D32 a closing app answers requests in flight, refuses new ones, and closes kept connections', async () => {
  let release = (): void => undefined
  let arrived = (): void => undefined
  const inHandler = new Promise<void>(resolve => (arrived = resolve))
  const slow = defineRoute({
    method: 'GET',
    path: '/v1/slow',
    summary: 'Slow',
    access: 'public',
    answers: { 200: { description: 'At last' } },
    handle: async () => {
      arrived()
      await new Promise<void>(resolve => (release = resolve))
      return { body: 'done' }
    },
  })
  const app = staged.open([slow])
  const url = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const first = getRaw(url, '/v1/slow')
  await inHandler
  // A connection that is in use when closing begins, and then completes another request.
  const socket = connect(Number(url.port), url.hostname)
  const received: string[] = []
  socket.on('data', chunk => received.push(String(chunk)))
  const ended = new Promise<void>(resolve => socket.on('close', () => resolve()))
  socket.write('GET /v1/slow HTTP/1.1\r\nhost: localhost\r\nx-half: ')
  await expect.poll(() => app.server.listening && connectionsOf(app)).toBe(2)
  const closing = app.close()
  await expect.poll(() => app.server.listening).toBe(false)
  socket.write('1\r\n\r\n')
  await ended
  expect(received.join('')).toMatch(/^HTTP\/1.1 503 /)
  expect(received.join('')).toMatch(/retry-after: 2\r\n/i)
  expect(received.join('')).toContain('"error_type":"unavailable"')
  release()
  expect(await first).toEqual([200, '"done"', 'close'])
  await closing
})

test('D32 a handler that still waits ten seconds after closing began is aborted, and answers', async () => {
  const clock = createManualClock()
  let arrived = (): void => undefined
  const inHandler = new Promise<void>(resolve => (arrived = resolve))
  const waiting = defineRoute({
    method: 'GET',
    path: '/v1/waiting',
    summary: 'Waits',
    access: 'public',
    answers: { 202: { description: 'Under way' } },
    handle: async ({ signal }) => {
      arrived()
      await untilAborted(signal)
      return { status: 202 }
    },
  })
  const app = staged.open([waiting], { parts: { ...staged.parts, clock } })
  const url = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const answer = getRaw(url, '/v1/waiting')
  await inHandler
  const closing = app.close()
  await expect.poll(() => clock.waiting()).toBe(1)
  clock.pass(10_000)
  expect(await answer).toEqual([202, '', 'close'])
  await closing
})

test('a handler’s signal aborts when its caller disconnects', async () => {
  const reasons: unknown[] = []
  let arrived = (): void => undefined
  const inHandler = new Promise<void>(resolve => (arrived = resolve))
  const waiting = defineRoute({
    method: 'GET',
    path: '/v1/waiting',
    summary: 'Waits',
    access: 'public',
    answers: { 204: { description: 'Over' } },
    handle: async ({ signal }) => {
      arrived()
      await untilAborted(signal)
      reasons.push(signal.reason)
      return { status: 204 }
    },
  })
  const app = staged.open([waiting])
  const url = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const socket = connect(Number(url.port), url.hostname)
  socket.write('GET /v1/waiting HTTP/1.1\r\nhost: localhost\r\n\r\n')
  await inHandler
  socket.destroy()
  await expect.poll(() => reasons.length).toBe(1)
})

test.each([
  ['no HTTP', 'hello\r\n\r\n', /^HTTP\/1\.1 400 /],
  [
    'headers without end',
    `GET / HTTP/1.1\r\nhost: localhost\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`,
    /^HTTP\/1\.1 431 /,
  ],
])(
  'bytes that are %s are answered with the envelope, and the connection is closed',
  async (_, bytes, status) => {
    const app = staged.open([echoRoute])
    const url = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
    const socket = connect(Number(url.port), url.hostname)
    const received: string[] = []
    socket.on('data', chunk => received.push(String(chunk)))
    const ended = new Promise<void>(resolve => socket.on('close', () => resolve()))
    socket.write(bytes)
    await ended
    expect(received.join('')).toMatch(status)
    expect(received.join('')).toContain('{"status":"failed","error_type":"validation"')
  },
)

function getRaw(
  url: URL,
  path: string,
): Promise<readonly [status: number, body: string, connection: string]> {
  return new Promise((resolve, reject) => {
    httpRequest(new URL(path, url), { agent: false, headers: { connection: 'keep-alive' } }, answer => {
      const chunks: string[] = []
      answer.on('data', chunk => chunks.push(String(chunk)))
      answer.on('end', () =>
        resolve([answer.statusCode ?? 0, chunks.join(''), String(answer.headers.connection)]),
      )
    })
      .on('error', reject)
      .end()
  })
}

async function connectionsOf(app: FastifyInstance): Promise<number> {
  return await new Promise((resolve, reject) => {
    app.server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)))
  })
}
