import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { connectRaw, type RawConnection } from '@farebox/protocol/src/test-setup/connect-raw'
import {
  createHeldAnswers,
  leaveEarly,
  LEAVINGS,
  watchConnections,
  type HeldAnswers,
  type LeftServer,
} from '@farebox/protocol/src/test-setup/leave-early'
import { until } from '@farebox/protocol/src/test-setup/until'
import { beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { defineRoute, type Route } from '../http/route.ts'
import { stageApps } from '../test-setup/stage-apps.ts'

// The app counts resources of connected callers: incoming bodies, unread answers, event streams. Each count has a limit, so
// a resource that is not released would finally cause refusals.

const MIB = 1_048_576
/** The limit of unread answers, and of incoming bodies. */
const WHOLE_BYTES = 64 * MIB
const LARGE = Buffer.alloc(MIB, ' ')
const OFTEN = 1_000_000
const answers = { 200: { description: 'Bytes' } }

const staged = stageApps()
let port: number
let held: HeldAnswers
let server: Omit<LeftServer, 'request'>

beforeEach(async () => {
  held = createHeldAnswers()
  // The requests of this test name no real host.
  const settings = { ...staged.parts.settings, localMode: false }
  const options = { requestsPerMinute: OFTEN, parts: { ...staged.parts, settings } }
  const app = staged.open([largeRoute, bodyRoute, eventsRoute, wholeRoute], options)
  await app.listen({ host: '127.0.0.1', port: 0 })
  ;({ port } = app.server.address() as AddressInfo)
  server = {
    port,
    answers: held,
    connections: watchConnections(port),
  }
})

const typed = { 'content-type': 'application/octet-stream' }

const largeRoute = defineRoute({
  method: 'GET',
  path: '/v1/large',
  summary: 'A large answer',
  access: 'public',
  perMinute: OFTEN,
  answers,
  async handle() {
    await held.pass()
    return { headers: typed, body: LARGE }
  },
})

const bodyRoute = defineRoute({
  method: 'POST',
  path: '/v1/body',
  summary: 'Takes a large body',
  access: 'public',
  perMinute: OFTEN,
  maxBodyBytes: MIB,
  body: z.string(),
  answers,
  async handle() {
    await held.pass()
    return { headers: typed, body: LARGE }
  },
})

const eventsRoute: Route = defineRoute({
  method: 'GET',
  path: '/v1/events',
  summary: 'Events without an end',
  access: 'public',
  perMinute: OFTEN,
  answers,
  async handle() {
    await held.pass()
    return { events: endless }
  },
})

async function* endless(signal: AbortSignal): AsyncGenerator<{ event: string; data: string }> {
  yield { event: 'large', data: ' '.repeat(MIB / 8) }
  // A reset connection is noticed only when data is sent on it.
  for (; !signal.aborted; await delay(20)) yield { event: 'small', data: '' }
}

/** An answer that fits only when nothing else is counted. */
const wholeRoute = defineRoute({
  method: 'GET',
  path: '/v1/whole',
  summary: 'As much as fits',
  access: 'public',
  perMinute: OFTEN,
  answers,
  handle: () => Promise.resolve({ headers: typed, body: WHOLE }),
})
const WHOLE = Buffer.alloc(WHOLE_BYTES, ' ')

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`
const BODY = JSON.stringify('x'.repeat(MIB - 2))
const HEAD = `POST /v1/body HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${BODY.length}\r\n\r\n`

async function statusOf({ until: comes }: RawConnection): Promise<string | undefined> {
  return (await comes(received => received.includes('\r\n'))).split(' ')[1]
}

/** Connects this many callers at a time and resolves to the statuses of their answers. */
async function askAtOnce(count: number, bytes: string): Promise<readonly (string | undefined)[]> {
  const callers = Array.from({ length: count }, () => connectRaw(port))
  for (const { socket } of callers) socket.write(bytes, 'latin1')
  const statuses = await Promise.all(callers.map(statusOf))
  for (const { socket } of callers) socket.destroy()
  await until(() => server.connections.count() === 0)
  return statuses
}

describe('whenever and however callers disconnect, their resources are released:', () => {
  test('unread answers', async () => {
    for (const leaving of LEAVINGS) await leaveEarly({ ...server, request: get('/v1/large') }, leaving)
    expect(await askAtOnce(1, get('/v1/whole'))).toEqual(['200'])
  })

  test('incoming bodies and their answers', async () => {
    for (const leaving of LEAVINGS) await leaveEarly({ ...server, request: HEAD + BODY }, leaving)
    expect(await askAtOnce(1, get('/v1/whole'))).toEqual(['200'])
    held.hold()
    const callers = Array.from({ length: WHOLE_BYTES / MIB }, () => connectRaw(port))
    for (const { socket } of callers) socket.write(HEAD + BODY.slice(0, -1), 'latin1')
    // All bodies except one byte each are held at the same time.
    await until(() => server.connections.bytesRead() === callers.length * (HEAD.length + BODY.length - 1))
    for (const { socket } of callers) socket.write(BODY.slice(-1), 'latin1')
    await until(() => held.waiting() === callers.length)
    expect(callers.map(({ received }) => received())).toEqual(callers.map(() => ''))
    for (const { socket } of callers) socket.destroy()
    held.release()
  })

  test('event streams', async () => {
    for (const leaving of LEAVINGS) await leaveEarly({ ...server, request: get('/v1/events') }, leaving)
    // The maximum for one caller, and one more.
    expect(
      (await askAtOnce(21, get('/v1/events'))).toSorted((one = '', other = '') => one.localeCompare(other)),
    ).toEqual([...Array(20).fill('200'), '429'])
  })
})
