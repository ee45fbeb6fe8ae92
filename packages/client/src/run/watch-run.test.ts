import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { RunProgress } from '@farebox/platform-api/flows/runs'
import { createTestClock, type TestClock } from '../../testing/clock.ts'
import { connectionOf } from '../exchange/client-options.ts'
import { watchRun } from './watch-run.ts'

const RUN_ID = '3f8a2c1e-9b4d-4f6a-8c2b-1d5e7f9a0b3c'
const PROGRESS: RunProgress = {
  run_id: RUN_ID,
  status: 'running',
  waiting: [],
  payer: null,
  max_total: '1',
  paid: '0',
  exposed: '0',
  exposed_until: null,
  ready: '0',
  steps: [],
  output: {},
  created_at: 1,
  changed_at: 1,
  ended_at: null,
  kept_until: null,
}

/** The first states that are seen, by the paid amount; each request for events is served by the next of `streams`. */
async function watch(
  streams: readonly ((response: ServerResponse, clock: TestClock) => void)[],
  count: number,
): Promise<{
  readonly paid: readonly string[]
  readonly lastIds: readonly unknown[]
  readonly pending: number
}> {
  const clock = createTestClock(1_800_000_000)
  const lastIds: unknown[] = []
  const left = [...streams]
  const server = createServer((request: IncomingMessage, response) => {
    if (request.url?.endsWith('/events') !== true) {
      response.writeHead(200, { 'content-type': 'application/json' })
      // A newer platform may send more.
      return void response.end(
        JSON.stringify({ ...PROGRESS, paid: 'asked', flow: {}, input: {}, mood: 'fine' }),
      )
    }
    lastIds.push(request.headers['last-event-id'])
    const stream = left.shift()
    if (stream === undefined) return void response.writeHead(503).end()
    stream(response.writeHead(200, { 'content-type': 'text/event-stream' }), clock)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => server.close().closeAllConnections())
  const platformUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const paid: string[] = []
  for await (const run of watchRun(connectionOf({ clock }), {
    platformUrl,
    runId: RUN_ID,
    token: 'secret',
  })) {
    paid.push(run.paid)
    if (paid.length === count) break
  }
  return { paid, lastIds, pending: clock.waiting() }
}

function event(id: string, change: Partial<RunProgress>): string {
  return `event: run\nid: ${id}\ndata: ${JSON.stringify({ ...PROGRESS, ...change })}\n\n`
}

test('events may arrive in any chunks; comments and other events are ignored', async () => {
  const text = `: open\n\n${event('1', { paid: '1' })}event: other\ndata: {}\n\ndata: {\n\n${event('2', { paid: '2' })}`
  const { paid, pending } = await watch(
    [
      response => {
        for (const byte of Buffer.from(text.replaceAll('\n', '\r\n'))) response.write(Buffer.of(byte))
      },
    ],
    2,
  )
  expect([paid, pending]).toEqual([['1', '2'], 0])
})

test('a stream that ends is requested again from its end, and the state is read in between', async () => {
  const { paid, lastIds } = await watch(
    [
      response => void response.end(event('7', { paid: '1' })),
      response => void response.write(event('8', { paid: '2' })),
    ],
    3,
  )
  expect([paid, lastIds]).toEqual([
    ['1', 'asked', '2'],
    [undefined, '7'],
  ])
})

test('after a stream that breaks off, one that is silent and none at all, the state is read by polling', async () => {
  const { paid } = await watch(
    [
      response => void response.write('event: run\ndata: {', () => response.destroy()),
      (response, clock) => void response.write(': open\n\n', () => setTimeout(() => clock.pass(45_000), 20)),
    ],
    3,
  )
  expect(paid).toEqual(['asked', 'asked', 'asked'])
})

test('an event without an end is discarded', async () => {
  const { paid } = await watch(
    [
      response => {
        const piece = Buffer.alloc(1_048_576, 'x')
        const more = (): void => {
          if (!response.destroyed) response.write(piece, more)
        }
        more()
      },
    ],
    1,
  )
  expect(paid).toEqual(['asked'])
})
