import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  answering,
  answeringLargely,
  breakingOff,
  dripping,
  resetting,
  silent,
  startServer,
  type TestServer,
} from '../../testing/start-server.ts'
import { AnswerTooLarge, createJsonOrigin, type JsonOrigin } from './http-json.ts'

let server: TestServer
let origin: JsonOrigin

beforeEach(async () => {
  server = await startServer()
  origin = createJsonOrigin(server.url)
})

afterEach(async () => {
  await server.stop()
  await origin.close()
})

const get = { method: 'GET', path: '/', timeoutMs: 5_000 } as const

test('a request arrives as JSON with its headers, and the answer comes back parsed', async () => {
  server.behave(answering(201, { made: ['é', 1] }))
  const answer = await origin.send({
    method: 'POST',
    path: '/things',
    body: { text: '🚌' },
    headers: { 'x-one': '1' },
    timeoutMs: 5_000,
  })
  expect(answer).toEqual({ status: 201, body: { made: ['é', 1] } })
  expect(server.received).toEqual([
    expect.objectContaining({
      method: 'POST',
      url: '/things',
      body: '{"text":"🚌"}',
      headers: expect.objectContaining({ 'content-type': 'application/json', 'x-one': '1' }),
    }),
  ])
})

test('a request without a body has no content headers', async () => {
  await origin.send(get)
  expect(server.received[0]).toMatchObject({ method: 'GET', body: '' })
  expect(server.received[0]?.headers).not.toHaveProperty('content-type')
})

test('paths are joined to the path of the origin, with or without a slash at its end', async () => {
  for (const base of ['/platform/v2/x402', '/platform/v2/x402/', '/', '']) {
    const based = createJsonOrigin(server.url + base)
    await based.send({ ...get, path: '/verify' })
    await based.close()
  }
  expect(server.received.map(({ url }) => url)).toEqual([
    '/platform/v2/x402/verify',
    '/platform/v2/x402/verify',
    '/verify',
    '/verify',
  ])
})

test('a hundred requests one after another share a connection', async () => {
  for (let index = 0; index < 100; index += 1) await origin.send(get)
  expect(server.received).toHaveLength(100)
  // The pool opens a second one when a response was read before its connection is free again.
  expect(server.connections()).toBeLessThanOrEqual(2)
})

test('concurrent requests use no more connections than the pool allows', async () => {
  const narrow = createJsonOrigin(server.url, { connections: 3 })
  await Promise.all(Array.from({ length: 30 }, async () => await narrow.send(get)))
  await narrow.close()
  expect(server.received).toHaveLength(30)
  expect(server.connections()).toBe(3)
})

describe('responses that resolve, whatever the status', () => {
  test.each([400, 401, 404, 429, 500, 502, 503])('HTTP %s with its body', async status => {
    server.behave(answering(status, { error: 'no' }))
    expect(await origin.send(get)).toEqual({ status, body: { error: 'no' } })
  })

  test.each([
    ['HTML', '<html>Bad gateway</html>'],
    ['nothing', ''],
    ['half of it', '{"a":'],
    ['two values', '{}{}'],
  ])('%s is not JSON', async (_, body) => {
    server.behave(answering(502, body))
    expect(await origin.send(get)).toEqual({ status: 502, body: undefined })
  })

  test('SSRF-03 a redirect is a response like any other and is not followed', async () => {
    const other = await startServer()
    server.behave(answering(307, {}, { location: `${other.url}/secret` }))
    expect(await origin.send(get)).toEqual({ status: 307, body: {} })
    expect(other.received).toEqual([])
    await other.stop()
  })

  test('a megabyte is read', async () => {
    server.behave(answeringLargely(1_000_000))
    expect(await origin.send(get)).toMatchObject({ status: 200, body: { success: true } })
  })
})

describe('requests that reject: there is no complete response', () => {
  test('silence, at the timeout', async () => {
    server.behave(silent)
    await expect(origin.send({ ...get, timeoutMs: 50 })).rejects.toMatchObject({ name: 'TimeoutError' })
  })

  test('a drip, at the timeout, although every byte arrives in time', async () => {
    server.behave(dripping)
    await expect(origin.send({ ...get, timeoutMs: 150 })).rejects.toMatchObject({ name: 'TimeoutError' })
  })

  test('a timeout of zero, or of less', async () => {
    server.behave(silent)
    for (const timeoutMs of [0, -5])
      await expect(origin.send({ ...get, timeoutMs })).rejects.toMatchObject({ name: 'TimeoutError' })
  })

  test('a connection that is reset before the answer, or in the middle of it', async () => {
    for (const behaviour of [resetting, breakingOff]) {
      server.behave(behaviour)
      await expect(origin.send(get)).rejects.toThrow(/socket|closed|ECONNRESET/)
    }
  })

  test('more than a megabyte', async () => {
    server.behave(answeringLargely(1_100_000))
    await expect(origin.send(get)).rejects.toThrow(AnswerTooLarge)
  })

  test('no server at the port', async () => {
    await server.stop()
    await expect(origin.send(get)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })
})

test('D16 a timeout may have fractions, as deadlines do, and may exceed the range of timers', async () => {
  for (const timeoutMs of [1_500.25, 4_999.999, 2 ** 40, Infinity]) {
    expect(await origin.send({ ...get, timeoutMs })).toMatchObject({ status: 200 })
  }
})

test('closing waits for requests in flight', async () => {
  const closing = createJsonOrigin(server.url)
  const answered = closing.send(get)
  await closing.close()
  expect(await answered).toMatchObject({ status: 200 })
})
