import { once } from 'node:events'
import { createServer, connect, type AddressInfo, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import type { Stage } from '../stage/stage.ts'
import { startRecordingProxy } from './recording-proxy.ts'

const stops: (() => Promise<unknown>)[] = []
const stage = { onStrike: (stop: () => Promise<unknown>) => void stops.unshift(stop) } as unknown as Stage

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

/** Answers every question with what is given, and can speak unasked. */
async function startServer(answer: string): Promise<{ port: number; speak(text: string): void }> {
  let last: Socket | undefined
  const server = createServer(socket => {
    last = socket
    socket.on('data', () => socket.write(answer)).on('error', () => undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  stops.unshift(async () => {
    last?.destroy()
    server.close()
    await once(server, 'close')
  })
  return { port: (server.address() as AddressInfo).port, speak: text => last?.write(text) }
}

async function ask(socket: Socket, question: string): Promise<string> {
  socket.write(question)
  const [bytes] = (await once(socket, 'data')) as [Buffer]
  return bytes.toString()
}

test('passes questions and answers on, and records each from its first byte to its last', async () => {
  const { port } = await startServer('answer')
  const proxy = await startRecordingProxy(stage, port)
  const client = connect(proxy.port, '127.0.0.1')
  expect(await ask(client, 'one')).toBe('answer')
  const betweenMs = performance.now()
  expect(await ask(client, 'two')).toBe('answer')
  client.destroy()
  const [one, two] = proxy.take()
  expect([one?.asked, two?.asked]).toEqual(['one', 'two'])
  expect(one?.beginMs).toBeLessThan(one?.endMs ?? 0)
  expect(one?.endMs).toBeLessThanOrEqual(betweenMs)
  expect(two?.beginMs).toBeGreaterThan(betweenMs)
  expect(two?.endMs).toBeGreaterThan(two?.beginMs ?? Infinity)
  expect(proxy.take()).toEqual([])
})

test('what a server says unasked belongs to no question once the answer is whole', async () => {
  const { port, speak } = await startServer('whole.')
  const proxy = await startRecordingProxy(stage, port, bytes => bytes.toString().endsWith('.'))
  const client = connect(proxy.port, '127.0.0.1')
  await ask(client, 'one')
  const [exchange] = proxy.take()
  speak('by the way')
  await once(client, 'data')
  client.destroy()
  await once(client, 'close')
  expect(exchange).toMatchObject({ asked: 'one' })
  expect(proxy.take()).toEqual([])
})
