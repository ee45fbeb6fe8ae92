import { EventEmitter, once } from 'node:events'
import { connectRaw } from '@farebox/protocol/src/test-setup/connect-raw'
import { upload } from '@farebox/protocol/src/test-setup/upload'
import { silentLog } from '@farebox/server/src/log'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createHttpApp } from './create-app.ts'

let app: ReturnType<typeof createHttpApp>
beforeEach(() => {
  app = createHttpApp(silentLog)
})
afterEach(() => app.close())

test('an unreadable message closes the connection after the due verdict, without a response of its own', async () => {
  const calls = new EventEmitter()
  app.post('/settle', async () => {
    calls.emit('asked')
    await once(calls, 'go')
    return { success: true }
  })
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const connection = connectRaw(Number(port))
  connection.socket.write('POST /settle HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n{}')
  await once(calls, 'asked')
  const unreadable = once(app.server, 'clientError')
  connection.socket.write('}\r\n\r\n')
  await unreadable
  calls.emit('go')
  const received = await connection.closed
  expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200'])
  expect(received).toMatch(/\{"success":true\}$/)
})

test('D32 while it drains it answers as before, and each answer ends its connection', async () => {
  let isDraining = false
  const draining = createHttpApp(silentLog, () => isDraining)
  draining.get('/supported', () => ({}))
  expect((await draining.inject('/supported')).headers['connection']).not.toBe('close')
  isDraining = true
  const answer = await draining.inject('/supported')
  expect([answer.statusCode, answer.headers['connection']]).toEqual([200, 'close'])
  await draining.close()
})

test('bytes that are not HTTP get an error in the usual form', async () => {
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const connection = connectRaw(Number(port))
  connection.socket.write('hello\r\n\r\n')
  const received = await connection.closed
  expect(received).toMatch(/^HTTP\/1\.1 400 .*\r\n\r\n\{"error":"the request could not be read"\}$/s)
})

test('every caller that sends its whole body first can read a refusal', async () => {
  app.post('/settle', () => ({ success: true }))
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const statuses: unknown[] = []
  for (let caller = 0; caller < 5; caller += 1) statuses.push(await upload(`${url}/settle`, 12 * 1_048_576))
  expect(statuses).toEqual(Array.from({ length: 5 }, () => 413))
})
