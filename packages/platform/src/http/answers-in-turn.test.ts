import { EventEmitter, once } from 'node:events'
import { connectRaw } from '@farebox/protocol/src/test-setup/connect-raw'
import { upload } from '@farebox/protocol/src/test-setup/upload'
import { expect, test } from 'vitest'
import { echoRoute } from '../test-setup/echo-route.ts'
import { stageApps } from '../test-setup/stage-apps.ts'
import { defineRoute } from './route.ts'

const staged = stageApps()

test('an unreadable message closes the connection after the pending answer, without its own answer', async () => {
  const calls = new EventEmitter()
  const slow = defineRoute({
    method: 'GET',
    path: '/v1/slow',
    summary: 'Takes its time',
    access: 'public',
    answers: { 200: { description: 'At last' } },
    handle: async () => {
      calls.emit('asked')
      await once(calls, 'go')
      return { body: { at: 'last' } }
    },
  })
  const app = staged.open([slow])
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const connection = connectRaw(Number(port))
  connection.socket.write('GET /v1/slow HTTP/1.1\r\nhost: localhost\r\n\r\n')
  await once(calls, 'asked')
  const unreadable = once(app.server, 'clientError')
  connection.socket.write('}\r\n\r\n')
  await unreadable
  calls.emit('go')
  const received = await connection.closed
  expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200'])
  expect(received).toMatch(/\{"at":"last"\}$/)
})

test('every caller that sends its whole body before reading can read a refusal', async () => {
  const app = staged.open([echoRoute])
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const statuses: unknown[] = []
  for (let caller = 0; caller < 5; caller += 1)
    statuses.push(await upload(`${url}/v1/things/1`, 12 * 1_048_576))
  expect(statuses).toEqual(Array.from({ length: 5 }, () => 413))
})
