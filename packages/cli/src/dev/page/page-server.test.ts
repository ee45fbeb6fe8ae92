import { request, type IncomingHttpHeaders } from 'node:http'
import { MAX_BODY_BYTES } from '@farebox/protocol/limits'
import { systemClock } from '@farebox/protocol/time/clock'
import type { DevJob } from '@farebox/web/internal/dev-page/wire'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createDevFeed, type DevFeed } from './dev-feed.ts'
import { startPageServer, type PageServer } from './page-server.ts'

const JOB = { job_id: '5f0c91aa-9b4d-4f6a-8c2b-1d5e7f9a0b3c', capability: 'count', input: { text: 'a' } }

let server: PageServer
let feed: DevFeed
let ran: DevJob[]
beforeEach(async () => {
  ran = []
  feed = createDevFeed(systemClock)
  server = await startPageServer(0, {
    clock: systemClock,
    feed,
    prepare: () => Promise.resolve(),
    run: async job => {
      ran.push(job)
      const { job_id } = job
      return { job_id, status: 200, body: '{}', ms: 1, steps: [], trouble: null, settled: null }
    },
  })
})
afterEach(() => server.close())

/** Sends a raw request, because `fetch` sets Host and Origin itself. */
function ask(
  path: string,
  options: { readonly method?: string; readonly headers?: object; readonly body?: string } = {},
): Promise<{ readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string }> {
  const { method = 'GET', headers = {}, body = '' } = options
  return new Promise((resolve, reject) => {
    const asked = request(`${server.url}${path}`, { method, headers: { ...headers } }, response => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

const post = (body: unknown, headers: object = {}) =>
  ask('/run', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

test('a job sent by the page is run', async () => {
  const { status, text } = await post(JOB, { origin: server.url, 'sec-fetch-site': 'same-origin' })
  expect(status).toBe(200)
  expect(JSON.parse(text)).toMatchObject({ job_id: JOB.job_id, status: 200 })
  expect(ran).toEqual([JOB])
})

test('a job sent by another page is refused, whatever it contains', async () => {
  const tries = [
    post(JOB, { origin: 'https://evil.example' }),
    post(JOB, { host: 'evil.example' }),
    post(JOB, { 'sec-fetch-site': 'cross-site' }),
    post(JOB, { 'content-type': 'text/plain' }),
    ask(`/run?${new URLSearchParams({ job: JSON.stringify(JOB) }).toString()}`),
  ]
  expect((await Promise.all(tries)).map(({ status }) => status)).toEqual([403, 421, 403, 415, 405])
  expect(ran).toEqual([])
})

test('a refused request has no answer that another page can read', async () => {
  const { headers } = await post(JOB, { origin: 'https://evil.example' })
  expect(headers['access-control-allow-origin']).toBeUndefined()
  expect(headers['cross-origin-resource-policy']).toBe('same-origin')
})

test.each([
  ['no JSON', '{', 400],
  ['no job', [], 400],
  ['no id', { ...JOB, job_id: '1' }, 400],
  ['no input', { ...JOB, input: 'text' }, 400],
  ['too large', 'x'.repeat(2 * MAX_BODY_BYTES + 1), 413],
] as const)('a foreign body is refused: %s', async (_, body, status) => {
  // A body that is cut off may end the connection before its answer is read.
  const answer = await post(body).catch(() => ({ status: 413 }))
  expect(answer.status).toBe(status)
  expect(ran).toEqual([])
})

test('every answer has the policy: nothing inline, no other origins, no frames', async () => {
  for (const path of ['/', '/events-not', '/run']) {
    const { headers } = await ask(path)
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; " +
        "form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    )
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['cross-origin-opener-policy']).toBe('same-origin')
  }
})

test('a request path never becomes a file path', async () => {
  for (const path of [
    '/../package.json',
    '/%2e%2e/package.json',
    '/assets/../../dev/develop.js',
    '//etc/passwd',
  ])
    expect((await ask(path)).status).toBe(404)
})

test('the stream begins with the current state, and continues with each change', async () => {
  const text = await new Promise<string>((resolve, reject) => {
    const asked = request(`${server.url}/events`, response => {
      let all = ''
      response.setEncoding('utf8').on('data', (piece: string) => {
        all += piece
        if (all.includes('event: lines')) feed.loading()
        if ((all.match(/event: view/g) ?? []).length === 2) {
          resolve(all)
          response.destroy()
        }
      })
    })
    asked.on('error', reject)
    asked.end()
  })
  expect(text).toMatch(
    /^retry: \d+\n\nevent: view\ndata: \{"version":0,.*\n\nevent: lines\ndata: .*"is_start":true/,
  )
})

test('too many pages are refused, and a closed one can be replaced', async () => {
  const open = () =>
    new Promise<{ readonly status: number; close(): void }>((resolve, reject) => {
      const asked = request(`${server.url}/events`, response => {
        response.resume()
        response.on('error', () => undefined)
        resolve({ status: response.statusCode ?? 0, close: () => response.destroy() })
      })
      asked.on('error', reject)
      asked.end()
    })
  const streams = await Promise.all(Array.from({ length: 8 }, open))
  expect(streams.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200))
  expect((await open()).status).toBe(503)
  streams[0]?.close()
  await expect.poll(async () => (await open()).status).toBe(200)
})
