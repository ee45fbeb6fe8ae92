import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createUnsentAnswers, type AnswerSocket, type UnsentAnswers } from './unsent-answers.ts'

const MEBIBYTE = 1_048_576

let server: Server | undefined
const callers: Socket[] = []
afterEach(async () => {
  for (const caller of callers.splice(0)) caller.destroy()
  await new Promise(resolve => server?.close(resolve))
})

/** A server whose every response has five mebibytes, on sockets created by `wrap`; resolves to its port. */
async function serveLarge(
  unsent: UnsentAnswers,
  wrap: (socket: Socket) => AnswerSocket = socket => socket,
): Promise<number> {
  const body = Buffer.alloc(5 * MEBIBYTE, 'x')
  server = createServer((request, response) => {
    unsent.add(wrap(request.socket), response, body.length)
    response.end(body)
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>(resolve => server?.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** Sends a request, and reads nothing until a test resumes it. */
function ask(port: number): Socket {
  const caller = connect(port, '127.0.0.1')
  caller.pause()
  caller.on('error', () => undefined)
  caller.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
  callers.push(caller)
  return caller
}

test('a caller that receives nothing of its response is disconnected, and its memory is available again', async () => {
  const unsent = createUnsentAnswers(300)
  // The time of each connection starts after all requests were sent.
  const held: (() => void)[] = []
  const port = await serveLarge(unsent, socket => ({
    destroyed: false,
    setTimeout: ms => held.push(() => socket.setTimeout(ms)),
    once: (event, listener) => socket.once(event, listener),
  }))
  for (let made = 0; made < 12; made += 1) ask(port)
  await expect.poll(() => unsent.hasRoom(5 * MEBIBYTE)).toBe(false)
  // Small responses are always allowed.
  expect(unsent.hasRoom(1_000)).toBe(true)
  for (const begin of held) begin()
  await expect.poll(() => unsent.hasRoom(64 * MEBIBYTE)).toBe(true)
})

test.each([
  ['alone', 1],
  ['behind another request', 2],
])('answers to disconnected callers are not counted: %s', async (_, requests) => {
  const unsent = createUnsentAnswers()
  const made: (() => void)[] = []
  server = createServer((request, response) => {
    made.push(() => {
      unsent.add(request.socket, response, 5 * MEBIBYTE)
      response.end()
    })
    request.socket.once('close', () => setImmediate(() => made.splice(0).forEach(make => make())))
  })
  await new Promise<void>(resolve => server?.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  for (let caller = 0; caller < 14; caller += 1) {
    const left = connect(port, '127.0.0.1')
    left.on('error', () => undefined)
    left.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(requests))
    await expect.poll(() => made.length).toBe(requests)
    left.resetAndDestroy()
    await expect.poll(() => made.length).toBe(0)
  }
  expect(unsent.hasRoom(64 * MEBIBYTE)).toBe(true)
})

test('a caller that reads slowly receives all of it, and its connection accepts another request', async () => {
  // Long compared with the delays of a busy machine.
  const unsent = createUnsentAnswers(4_000)
  const port = await serveLarge(unsent)
  const caller = ask(port)
  let came = 0
  caller.on('data', (chunk: Buffer) => {
    came += chunk.length
    // Slower than the limit in total, but never idle for that long.
    if (came > 5 * MEBIBYTE) return
    caller.pause()
    setTimeout(() => caller.resume(), 50)
  })
  caller.resume()
  await expect.poll(() => came).toBeGreaterThan(5 * MEBIBYTE)
  await expect.poll(() => unsent.hasRoom(64 * MEBIBYTE)).toBe(true)
  await new Promise(resolve => setTimeout(resolve, 4_500))
  caller.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
  await expect.poll(() => came).toBeGreaterThan(10 * MEBIBYTE)
})
