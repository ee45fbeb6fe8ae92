import { EventEmitter, once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { stageApps } from '../test-setup/stage-apps.ts'
import { defineRoute } from './route.ts'

const staged = stageApps()

const large = defineRoute({
  method: 'GET',
  path: '/v1/large',
  summary: 'Five mebibytes',
  access: 'public',
  answers: { 200: { description: 'All of it' } },
  handle: () => Promise.resolve({ body: 'x'.repeat(5 * 1_048_576) }),
})

const waited = defineRoute({
  method: 'GET',
  path: '/v1/waited',
  summary: 'Takes its time',
  access: 'public',
  answers: { 202: { description: 'At last' } },
  handle: () => Promise.resolve({ later: () => Promise.resolve({ status: 202, body: { at: 'last' } }) }),
})

test('answers to disconnected callers occupy no memory, and their handlers are aborted', async () => {
  const calls = new EventEmitter()
  let gone = 0
  const slow = defineRoute({
    ...large,
    path: '/v1/slow',
    handle: async ({ signal }) => {
      signal.addEventListener('abort', () => {
        gone += 1
      })
      calls.emit('asked')
      await once(calls, 'go')
      return { body: 'x'.repeat(5 * 1_048_576) }
    },
  })
  const app = staged.open([large, slow])
  const { port, hostname, origin } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const CALLERS = 14
  const callers = Array.from({ length: CALLERS }, () => connect(Number(port), hostname))
  for (const caller of callers) {
    caller.on('error', () => undefined)
    const asked = once(calls, 'asked')
    caller.write('GET /v1/slow HTTP/1.1\r\nhost: localhost\r\n\r\n')
    await asked
    caller.resetAndDestroy()
  }
  await expect.poll(() => gone).toBe(CALLERS)
  calls.emit('go')
  expect((await fetch(`${origin}/v1/large`)).status).toBe(200)
})

test('unread answers are limited to 64 MiB: further large ones get 503, small ones are sent', async () => {
  const app = staged.open([large, waited])
  const { port, hostname, origin } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const readers: Socket[] = []
  try {
    for (let asked = 0; asked < 12; asked += 1) {
      const reader = connect(Number(port), hostname)
      readers.push(reader)
      await once(reader, 'connect')
      reader.write('GET /v1/large HTTP/1.1\r\nhost: localhost\r\n\r\n')
      // Its first bytes have arrived, so the rest waits.
      await once(reader, 'readable')
    }
    const refused = await fetch(`${origin}/v1/large`)
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('5')
    expect(await refused.json()).toMatchObject({ error_type: 'unavailable' })
    const small = await fetch(`${origin}/v1/waited`)
    expect([small.status, await small.json()]).toEqual([202, { at: 'last' }])
  } finally {
    for (const reader of readers) reader.destroy()
  }
  await expect.poll(async () => (await fetch(`${origin}/v1/large`)).status).toBe(200)
})
