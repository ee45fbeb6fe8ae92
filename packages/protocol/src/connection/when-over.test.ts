import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { connectRaw, type RawConnection } from '../test-setup/connect-raw.ts'
import { whenOver } from './when-over.ts'

let server: Server
let asked: { readonly request: IncomingMessage; readonly response: ServerResponse }[]

beforeEach(async () => {
  asked = []
  server = createServer((request, response) => asked.push({ request, response }))
  await once(server.listen(0, '127.0.0.1'), 'listening')
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise(resolve => server.close(resolve))
})

/** Sends this many requests on one connection; resolves once all have arrived. */
async function ask(times: number): Promise<RawConnection> {
  const connection = connectRaw((server.address() as AddressInfo).port)
  connection.socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(times))
  await expect.poll(() => asked.length).toBe(times)
  return connection
}

/** How many of the requests have ended. */
function count(requests = asked): { over: number } {
  const counted = { over: 0 }
  for (const { request, response } of requests) {
    whenOver(request.socket, response, () => {
      counted.over += 1
    })
  }
  return counted
}

test('a response has ended when it was sent, each once', async () => {
  const { socket } = await ask(2)
  const served = asked[0]?.request.socket
  const counted = count()
  asked[1]?.response.end('second')
  asked[0]?.response.end('first')
  await expect.poll(() => counted.over).toBe(2)
  socket.destroy()
  await expect.poll(() => served?.destroyed).toBe(true)
  expect(counted.over).toBe(2)
})

test.each([
  ['leaves', (socket: Socket) => socket.destroy()],
  ['is cut off', (socket: Socket) => socket.resetAndDestroy()],
])('all answers of a connection end when its caller %s, including queued ones', async (_, leave) => {
  const { socket } = await ask(3)
  const counted = count()
  leave(socket)
  await expect.poll(() => counted.over).toBe(3)
})

test('a response to a caller that has disconnected has ended immediately', async () => {
  const { socket } = await ask(2)
  const served = asked[0]?.request.socket
  socket.resetAndDestroy()
  await expect.poll(() => served?.destroyed).toBe(true)
  expect(count().over).toBe(2)
})

test('all requests of a kept connection share one listener', async () => {
  const connection = await ask(1)
  const { socket } = asked[0]?.request ?? {}
  for (let times = 1; times <= 20; times += 1) {
    expect(count(asked.slice(-1)).over).toBe(0)
    asked.at(-1)?.response.end('x')
    connection.socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
    await expect.poll(() => asked.length).toBe(times + 1)
  }
  expect(socket?.listenerCount('close')).toBeLessThan(10)
})
