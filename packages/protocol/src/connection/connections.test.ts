import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { connectRaw, type RawConnection } from '../test-setup/connect-raw.ts'
import { until } from '../test-setup/until.ts'
import { createConnections } from './connections.ts'

const REFUSED = 'HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 7\r\n\r\nrefused'

let server: Server
let port: number
/** Requests that were served, with functions that release their responses. */
let served: { readonly path: string; readonly answer: (text?: string) => void }[]
/** Callbacks that wait for their time. */
let timers: Set<() => void>
let arrived: () => void

beforeEach(async () => {
  served = []
  timers = new Set()
  const connections = createConnections({
    nowMs: () => 0,
    after(_, callback) {
      timers.add(callback)
      return () => timers.delete(callback)
    },
  })
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    if (!connections.begin(request, response)) return
    if (request.url === '/refuse') {
      connections.closeGently(request)
      response.writeHead(413, { connection: 'close', 'content-length': '9' }).end('too large')
      return
    }
    request.resume()
    served.push({
      path: request.url ?? '',
      answer: (text = 'done') => response.writeHead(200, { 'content-length': String(text.length) }).end(text),
    })
    arrived()
  }
  // A whole second: on a busy machine a shorter time would affect the first request, which is sent at once.
  server = createServer({ headersTimeout: 1_000, connectionsCheckingInterval: 20 }, serve)
  server.on('clientError', (error, socket) => connections.refuse(socket, error, REFUSED))
  server.on('connect', (_, socket) => connections.refuse(socket, {}, REFUSED))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  port = (server.address() as AddressInfo).port
})

afterEach(async () => {
  server.closeAllConnections()
  await new Promise(resolve => server.close(resolve))
})

/** Resolves once this many requests were served. */
async function whenServed(count: number): Promise<void> {
  while (served.length < count) {
    await new Promise<void>(resolve => {
      arrived = resolve
    })
  }
}

const open = (): RawConnection => connectRaw(port)

const post = (path: string, body = 'body'): string =>
  `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: ${body.length}\r\n\r\n${body}`

const statusesOf = (text: string): readonly (string | undefined)[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)

/** Resolves when the server has read all bytes sent so far, on every connection. */
async function whenAllRead(): Promise<void> {
  const probe = open()
  const count = served.length + 1
  probe.socket.write(post('/probe'))
  await whenServed(count)
  served[count - 1]?.answer()
  probe.socket.end()
  await probe.closed
}

describe('an unreadable message on a connection with pending answers', () => {
  test.each([
    ['a byte after the body', '}'],
    ['garbage', 'hello\r\n\r\n'],
    ['a header without a colon', 'GET / HTTP/1.1\r\nhost: a\r\nbroken\r\n\r\n'],
    ['large headers', `GET / HTTP/1.1\r\nhost: a\r\nx: ${'x'.repeat(40_000)}\r\n\r\n`],
    ['CONNECT', 'CONNECT other:443 HTTP/1.1\r\nhost: other\r\n\r\n'],
    ['a broken chunk', 'POST /next HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'],
    ['headers that do not end', 'GET /next HTTP/1.1\r\nhost: a\r\nx: '],
  ])('%s: the answers are sent alone, in order', async (_, bytes) => {
    const { socket, received, closed } = open()
    socket.write(post('/first') + post('/second'))
    await whenServed(2)
    const errors = once(server, bytes.startsWith('CONNECT') ? 'connect' : 'clientError')
    socket.write(bytes)
    await errors
    // A complete request, but after the unreadable message.
    socket.write(post('/late'))
    await whenAllRead()
    expect(received()).toBe('')
    served.find(({ path }) => path === '/second')?.answer('second')
    await whenAllRead()
    expect(received()).toBe('')
    served.find(({ path }) => path === '/first')?.answer('first')
    const text = await closed
    expect(statusesOf(text)).toEqual(['200', '200'])
    expect(text).toMatch(/first[^]*second$/)
    expect(served.map(({ path }) => path)).not.toContain('/late')
  })

  test('is refused if all answers were sent', async () => {
    const { socket, closed } = open()
    socket.write(post('/first'))
    await whenServed(1)
    served[0]?.answer()
    socket.write('hello\r\n\r\n')
    expect(statusesOf(await closed)).toEqual(['200', '400'])
  })

  test('an incomplete request is refused once', async () => {
    const broken = 'transfer-encoding: chunked\r\n\r\nzz\r\n'
    const [fresh, refused] = [open(), open()]
    fresh.socket.write(`POST /fresh HTTP/1.1\r\nhost: a\r\n${broken}`)
    refused.socket.write(`POST /refuse HTTP/1.1\r\nhost: a\r\n${broken}`)
    expect(statusesOf(await fresh.closed)).toEqual(['400'])
    await whenAllRead()
    for (const callback of timers) callback()
    expect(statusesOf(await refused.closed)).toEqual(['413'])
  })
})

describe('a refusal while its request is arriving', () => {
  const head = 'POST /refuse HTTP/1.1\r\nhost: a\r\ncontent-length: 1000\r\n\r\n'

  test('closes the connection after the request has arrived', async () => {
    const { socket, closed } = open()
    socket.write(head)
    await once(socket, 'data')
    socket.write('x'.repeat(500))
    await whenAllRead()
    expect(socket.readableEnded).toBe(false)
    socket.write('x'.repeat(500))
    expect(statusesOf(await closed)).toEqual(['413'])
  })

  test('does not wait for a request that never ends', async () => {
    const { socket, closed } = open()
    socket.write(head)
    await once(socket, 'data')
    await expect.poll(() => timers.size).toBe(1)
    for (const callback of timers) callback()
    expect(statusesOf(await closed)).toEqual(['413'])
  })

  test('does not read a request of a gigabyte to its end', async () => {
    const { socket, closed } = open()
    socket.write(head.replace('1000', '1000000000'))
    const piece = Buffer.alloc(1_048_576)
    let sent = 0
    const send = (): void => {
      sent += piece.length
      if (sent < 1_000_000_000 && !socket.destroyed) socket.write(piece, send)
    }
    send()
    expect(statusesOf(await closed)).toEqual(['413'])
    expect(sent).toBeLessThan(200_000_000)
  })

  test('later bytes are not parsed as a request', async () => {
    const { socket, closed } = open()
    socket.write(head)
    await once(socket, 'data')
    socket.write('x'.repeat(1_000) + post('/late'))
    await closed
    expect(served.map(({ path }) => path)).not.toContain('/late')
  })

  test('waits for earlier answers', async () => {
    const { socket, received, closed } = open()
    socket.write(post('/first') + head + 'x'.repeat(10))
    await whenServed(1)
    await whenAllRead()
    expect(received()).toBe('')
    served[0]?.answer()
    socket.write('x'.repeat(990))
    expect(statusesOf(await closed)).toEqual(['200', '413'])
  })
})

test('reading from a connection is paused while its requests arrive faster than a connection may send them', async () => {
  const GET = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n'
  const all = 20_000
  const atOnce = 200
  /** The requests that Node reads from a connection at once are served. */
  const read = 65_536 / GET.length
  const seconds: (() => void)[] = []
  const connections = createConnections({
    nowMs: () => 0,
    after(_, callback) {
      seconds.push(callback)
      return () => undefined
    },
  })
  const counted = { begun: 0 }
  const quick = createServer((request, response) => {
    if (connections.begin(request, response)) counted.begun += 1
    response.end()
  })
  await once(quick.listen(0, '127.0.0.1'), 'listening')
  const { socket } = connectRaw((quick.address() as AddressInfo).port)
  socket.write(GET.repeat(all))
  let passed = 0
  while (counted.begun < all) {
    await until(() => seconds.length > 0 || counted.begun === all)
    expect(counted.begun).toBeLessThanOrEqual((passed + 1) * atOnce + read)
    passed += seconds.length
    for (const second of seconds.splice(0)) second()
  }
  expect(passed).toBe(all / atOnce)
  socket.destroy()
  quick.closeAllConnections()
  await new Promise(resolve => quick.close(resolve))
})
