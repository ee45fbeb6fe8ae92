import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Agent as KeepAlive, request as httpRequest, type IncomingMessage, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { connectRaw } from '@farebox/protocol/src/test-setup/connect-raw'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFakeClock } from '../testing/fake-clock.ts'
import { jobBody, rawExecute, serveStage, type SocketStage } from './socket-stage.test-setup.ts'

/** A gateway that blocks several jobs until it is opened; its handler then echoes the text. */
function createGateway() {
  let open: () => void = () => undefined
  const opened = new Promise<void>(resolve => {
    open = resolve
  })
  let entered = 0
  let tell: () => void = () => undefined
  const enter = (): void => {
    entered += 1
    tell()
  }
  return {
    enter,
    entered: () => entered,
    open: () => open(),
    async handler({ text }: { readonly text: string }) {
      enter()
      await opened
      return { text }
    },
    arrived: (count: number): Promise<void> =>
      new Promise(resolve => {
        tell = () => {
          if (entered >= count) resolve()
        }
        tell()
      }),
  }
}

let stage: SocketStage
beforeAll(async () => {
  stage = await serveStage()
})
afterAll(async () => {
  await stage.agent.close()
})

/** Sends bytes on a new connection; resolves to everything received until the agent closed it. */
async function answerTo(bytes: string): Promise<string> {
  const connection = connectRaw(stage.port)
  connection.socket.write(bytes, 'latin1')
  return await connection.closed
}

function bodyOf(answer: string): unknown {
  return JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as unknown
}

const failed = (error: unknown): unknown => ({
  status: 'failed',
  error_type: 'validation',
  error,
  service_version: '1.0',
})

describe('HTTP-01 the routes', () => {
  test.each([
    ['GET', '/health', 200],
    ['HEAD', '/health', 200],
    ['GET', '/health?x=1', 200],
    ['GET', '/about', 200],
    ['HEAD', '/about', 200],
    ['OPTIONS', '/health', 204],
    ['OPTIONS', '/about', 204],
    ['OPTIONS', '/execute', 204],
    ['GET', '/health%2F', 404],
    ['GET', '/__proto__', 404],
    ['GET', '/constructor', 404],
    ['POST', '/execute/', 404],
    ['POST', '/%65xecute', 404],
    ['POST', '/a/../execute', 404],
    ['POST', '//execute', 404],
    ['POST', '/execute%00', 404],
    ['GET', 'http://agent.test/health', 404],
  ])('%s %s is answered %i', async (method, path, status) => {
    const answer = await answerTo(`${method} ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(answer.toLowerCase()).toContain('access-control-allow-origin: *')
    const hasBody = method !== 'HEAD' && status !== 204
    expect(answer.slice(answer.indexOf('\r\n\r\n') + 4) !== '').toBe(hasBody)
    if (status >= 400 && hasBody) expect(bodyOf(answer)).toEqual(failed(expect.any(String)))
  })

  test('HEAD has the content-length of the answer to GET', async () => {
    const lengthOf = async (method: string): Promise<string | null> =>
      (await fetch(`${stage.url}/about`, { method })).headers.get('content-length')
    expect(await lengthOf('HEAD')).toBe(await lengthOf('GET'))
  })

  test('D15 a browser may read Retry-After, and gets uncached answers', async () => {
    const { headers } = await fetch(`${stage.url}/execute`, { method: 'POST', body: '' })
    expect(headers.get('access-control-expose-headers')).toMatch(/, Retry-After$/)
    expect(headers.get('cache-control')).toBe('no-store')
  })

  test('CONNECT is refused in the agent’s format, because an agent is not a proxy', async () => {
    const answer = await answerTo('CONNECT other.test:443 HTTP/1.1\r\nHost: other.test\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 405 /)
    expect(bodyOf(answer)).toEqual(failed('an agent is no proxy'))
  })
})

describe('HTTP-05 malformed HTTP is answered in the agent’s format, and the connection is closed', () => {
  test.each([
    ['a header without a colon', 'GET /health HTTP/1.1\r\nHost: a\r\nbroken\r\n\r\n', 400],
    ['two Hosts', 'GET /health HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n', 400],
    ['two Hosts in HTTP/1.0', 'GET /health HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n', 400],
    ['a length that is none', 'POST /execute HTTP/1.1\r\nHost: a\r\nContent-Length: many\r\n\r\n', 400],
    ['a long URL', `GET /${'x'.repeat(17_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431],
    ['TLS', '\u0016\u0003\u0001\u0000\u00a5\u0001\u0000\u0000', 400],
  ])('%s', async (_, bytes, status) => {
    const answer = await answerTo(bytes)
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(bodyOf(answer)).toEqual(failed(expect.any(String)))
    expect(answer.toLowerCase()).toContain('connection: close')
  })
})

describe('HTTP-03, 04, 08 slow and idle clients', () => {
  test('are disconnected by the server’s timeouts', async () => {
    expect(await serverOf(stage)).toMatchObject({
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 5_000,
      maxConnections: 10_000,
    })
  })

  test('HTTP-03 do not delay other clients', async () => {
    const slow = Array.from({ length: 200 }, () => connectRaw(stage.port))
    for (const { socket } of slow) socket.write('GET /health HTTP/1.1\r\nHost: a\r\nX-Slow: ')
    expect((await fetch(`${stage.url}/health`)).status).toBe(200)
    for (const { socket } of slow) socket.destroy()
  })
})

describe('VAL-05 bodies', () => {
  const tooLarge = failed('body: too large, at most 1048576 bytes')

  test.each([
    ['with its length', { 'content-length': String(8 * 1_048_576) }],
    ['in chunks', { 'transfer-encoding': 'chunked' }],
  ])('that are too large but sent anyway, %s: the client can still read the answer', async (_, headers) => {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = httpRequest(
        `${stage.url}/execute`,
        { method: 'POST', headers: { 'content-type': 'application/json', ...headers } },
        resolve,
      )
      request.on('error', reject)
      request.end(Buffer.alloc(8 * 1_048_576, 0x20))
    })
    expect(answer.statusCode).toBe(400)
    expect(JSON.parse(await readText(answer))).toEqual(tooLarge)
  })

  test('that are too large and sent slowly: the connection is closed after the client has sent everything', async () => {
    const connection = connectRaw(stage.port)
    const half = ' '.repeat(2 * 1_048_576)
    connection.socket.write(
      `POST /execute HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${2 * half.length}\r\n\r\n${half}`,
    )
    await connection.until(received => received.includes('too large'))
    const failed = await new Promise(resolve => connection.socket.write(half, resolve))
    expect(failed ?? undefined).toBeUndefined()
    await connection.closed
    expect(bodyOf(connection.received())).toEqual(tooLarge)
  })

  test('that are announced as too large: refused before they are sent, the connection closed seconds later', async () => {
    const clock = createFakeClock()
    const served = await serveStage({ clock })
    const connection = connectRaw(served.port)
    connection.socket.write(
      'POST /execute HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1048577\r\n\r\n{',
    )
    await connection.until(received => received.includes('too large'))
    await clock.advance(5_000)
    const answer = await connection.closed
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(bodyOf(answer)).toEqual(tooLarge)
    await served.agent.close()
  })

  test('that break off are not answered, and nothing runs', async () => {
    const before = stage.logs().length
    const connection = connectRaw(stage.port)
    await new Promise(resolve => connection.socket.write(rawExecute(jobBody('hi')).slice(0, -10), resolve))
    connection.socket.destroy()
    await connection.closed
    expect((await fetch(`${stage.url}/health`)).status).toBe(200)
    expect(stage.logs().slice(before)).toEqual([])
  })

  test('that are large and never end use at most 64 MiB: further ones get 503, small ones are served', async () => {
    const head = `POST /execute HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1048576\r\n\r\n`
    const almost = head + ' '.repeat(1_048_575)
    const hanging = Array.from({ length: 66 }, () => connectRaw(stage.port))
    for (const { socket } of hanging) socket.write(almost)
    const told = await Promise.race(
      hanging.map(async one => {
        await one.until(received => received.includes('come back'))
        return one.received()
      }),
    )
    expect(told).toMatch(/^HTTP\/1\.1 503 .*retry-after: 5/is)
    expect(bodyOf(told)).toMatchObject({ error: 'too many large requests at once: come back' })
    const post = async (body: string): Promise<number> =>
      (
        await fetch(`${stage.url}/execute`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
        })
      ).status
    expect(await post(jobBody('small'))).toBe(200)
    for (const { socket } of hanging) socket.destroy()
    await Promise.all(hanging.map(({ closed }) => closed))
    await expect.poll(() => post(jobBody('large').padEnd(1_048_576, ' '))).toBe(200)
  })

  test('in chunks of one byte are assembled', async () => {
    const body = jobBody('chunks')
    const chunks = [...body].map(byte => `1\r\n${byte}\r\n`).join('')
    const answer = await answerTo(
      'POST /execute HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nConnection: close\r\n' +
        `Transfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 200 /)
    expect(bodyOf(answer)).toMatchObject({ output: { text: 'chunks' } })
  })
})

describe('HTTP/1.0, which requires no Host header', () => {
  test.each(['/health', '/about'])('GET %s is answered', async path => {
    const answer = await answerTo(`GET ${path} HTTP/1.0\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 200 /)
    expect(bodyOf(answer)).toMatchObject({ name: 'Socket' })
  })

  test('a job is executed', async () => {
    const body = jobBody('old')
    const answer = await answerTo(
      `POST /execute HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    expect(bodyOf(answer)).toMatchObject({ output: { text: 'old' } })
  })
})

describe('connections', () => {
  test('are reused for every route', async () => {
    const connection = connectRaw(stage.port)
    const requests = [
      'GET /health',
      'GET /about',
      'HEAD /health',
      'GET /nowhere',
      'PUT /execute',
      'OPTIONS /execute',
    ]
    for (const line of requests) connection.socket.write(`${line} HTTP/1.1\r\nHost: a\r\n\r\n`)
    for (const text of ['one', 'two']) connection.socket.write(rawExecute(jobBody(text)))
    connection.socket.write('GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    const received = await connection.closed
    expect([...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status)).toEqual([
      '200',
      '200',
      '200',
      '404',
      '405',
      '204',
      '200',
      '200',
      '200',
    ])
  })

  test.each([
    ['a byte after its body', '}', 'clientError'],
    ['CONNECT', 'CONNECT other.test:443 HTTP/1.1\r\nHost: other.test\r\n\r\n', 'connect'],
    ['large headers', `GET /health HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`, 'clientError'],
  ])('a running job gets its answer, and nothing else, if %s follows it', async (_, bytes, event) => {
    const gateway = createGateway()
    const told: unknown[] = []
    const waiting = await serveStage({ handler: gateway.handler })
    const server = await serverOf(waiting)
    server.on(event, () => told.push(event))
    const connection = connectRaw(waiting.port)
    connection.socket.write(rawExecute(jobBody('paid')) + bytes)
    await gateway.arrived(1)
    await expect.poll(() => told).toEqual([event])
    await fetch(`${waiting.url}/health`)
    expect(connection.received()).toBe('')
    gateway.open()
    const received = await connection.closed
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200'])
    expect(bodyOf(received)).toMatchObject({ status: 'completed', output: { text: 'paid' } })
    await waiting.agent.close()
  })

  test('a caller that has closed its sending side gets the answer', async () => {
    const gateway = createGateway()
    const waiting = await serveStage({ handler: gateway.handler })
    const ended: unknown[] = []
    const server = await serverOf(waiting)
    server.once('connection', (socket: Socket) => socket.on('end', () => ended.push('end')))
    const connection = connectRaw(waiting.port)
    connection.socket.end(rawExecute(jobBody('paid')))
    await gateway.arrived(1)
    await expect.poll(() => ended).toEqual(['end'])
    gateway.open()
    expect(bodyOf(await connection.closed)).toMatchObject({ status: 'completed', output: { text: 'paid' } })
    await waiting.agent.close()
  })

  test('DDL-12 a connection closed by the client during a job: the job is completed, and answered to a repeat', async () => {
    const gateway = createGateway()
    const waiting = await serveStage({ handler: gateway.handler })
    const body = jobBody('kept')
    const connection = connectRaw(waiting.port)
    connection.socket.write(rawExecute(body))
    await gateway.arrived(1)
    connection.socket.destroy()
    await connection.closed
    gateway.open()
    const again = await postBy(new KeepAlive(), waiting.url, body)
    expect(JSON.parse(again.text)).toMatchObject({ status: 'completed', output: { text: 'kept' } })
    expect(gateway.entered()).toBe(1)
    await waiting.agent.close()
  })
})

describe('D32 stopping', () => {
  test('OPS-03 fifty jobs in flight are answered, keep-alive clients disconnected, new jobs answered that nothing was charged', async () => {
    const gateway = createGateway()
    const busy = await serveStage({ handler: gateway.handler })
    const idle = connectRaw(busy.port)
    idle.socket.write('GET /health HTTP/1.1\r\nHost: a\r\n\r\n')
    await idle.until(received => received.includes('"ok"'))
    const keepAlive = new KeepAlive({ keepAlive: true, maxSockets: 50 })
    const open = Array.from({ length: 50 }, (_, index) =>
      postBy(keepAlive, busy.url, jobBody(`job ${index}`)),
    )
    await gateway.arrived(50)
    const late = connectRaw(busy.port)
    await late.connected

    const closed = busy.agent.close()
    await idle.closed
    late.socket.write(rawExecute(jobBody('late')))
    const refused = await late.closed
    expect(refused).toMatch(/^HTTP\/1\.1 503 /)
    expect(refused.toLowerCase()).toMatch(/\r\nretry-after: [1-9]\d*\r\n/)
    expect(bodyOf(refused)).toEqual({
      status: 'failed',
      error_type: 'internal',
      error: 'shutting down, not charged',
      service_version: '1.0',
    })
    expect(
      await busy.agent.fetch(new Request('http://a/execute', { method: 'POST', body: jobBody('late') })),
    ).toMatchObject({ status: 503 })

    gateway.open()
    const answers = await Promise.all(open)
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(50).fill(200))
    expect(new Set(answers.map(({ connection }) => connection))).toEqual(new Set(['close']))
    await closed
    await expect(fetch(`${busy.url}/health`)).rejects.toThrow()
    keepAlive.destroy()
  })

  test('D32 connections with half a body are closed at once, without waiting', async () => {
    // The fake time does not advance, so the test fails if the stop waits for the grace period.
    const busy = await serveStage({ clock: createFakeClock() })
    const half = connectRaw(busy.port)
    half.socket.write(
      'POST /execute HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    )
    await half.connected
    await fetch(`${busy.url}/health`)
    await Promise.all([busy.agent.close(), half.closed])
  })

  test.each([
    ['whose handler hangs', 'shutting down, not charged'],
    ['that waits for another run of it', 'shutting down: send the same request again'],
  ])('D32 a job %s is answered 503 before the end, and its handler is aborted', async (_, error) => {
    const gateway = createGateway()
    const clock = createFakeClock()
    let stopped: unknown
    const busy = await serveStage({
      clock,
      handler: async (__, { signal }) => {
        signal.addEventListener('abort', () => {
          stopped = signal.reason
        })
        gateway.enter()
        return await new Promise(() => undefined)
      },
    })
    const body = JSON.stringify({ ...JSON.parse(jobBody('hang')), deadline: clock.nowMs() / 1_000 + 900 })
    const [first, second] = [connectRaw(busy.port), connectRaw(busy.port)]
    first.socket.write(rawExecute(body))
    await gateway.arrived(1)
    second.socket.write(rawExecute(body))
    await second.connected
    await fetch(`${busy.url}/health`)
    const startMs = clock.nowMs()
    const closed = busy.agent.close().then(() => true)
    const moveOn = async (): Promise<false> => {
      await clock.advance(100)
      return await new Promise(resolve => setImmediate(resolve, false))
    }
    while (!(await Promise.race([closed, moveOn()]))) continue
    expect(clock.nowMs() - startMs).toBeLessThanOrEqual(25_000)
    const waiting = error.startsWith('shutting down,') ? first : second
    const answer = await waiting.closed
    expect(answer).toMatch(/^HTTP\/1\.1 503 /)
    expect(answer.toLowerCase()).toMatch(/\r\nretry-after: [1-9]\d*\r\n/)
    expect(bodyOf(answer)).toMatchObject({ status: 'failed', error_type: 'internal', error })
    expect(String(stopped)).toContain('had to stop')
  })

  test('waits for jobs that came by fetch, too', async () => {
    const gateway = createGateway()
    const busy = await serveStage({ handler: gateway.handler })
    const answer = busy.agent.fetch(
      new Request('http://a/execute', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: jobBody('hi'),
      }),
    )
    await gateway.arrived(1)
    let over = false
    const closed = busy.agent.close().then(() => {
      over = true
    })
    await fetch(`${busy.url}/health`).catch(() => undefined)
    expect(over).toBe(false)
    gateway.open()
    expect((await answer).status).toBe(200)
    await closed
  })
})

describe('a successor takes over the address', () => {
  test('received requests are answered here, later ones go to the successor, and none is refused', async () => {
    const gateway = createGateway()
    const old = await serveStage({ handler: gateway.handler })
    const idle = connectRaw(old.port)
    idle.socket.write('GET /health HTTP/1.1\r\nHost: a\r\n\r\n')
    await idle.until(received => received.includes('"ok"'))
    const keepAlive = new KeepAlive({ keepAlive: true, maxSockets: 50 })
    const open = Array.from({ length: 50 }, (_, index) => postBy(keepAlive, old.url, jobBody(`job ${index}`)))
    await gateway.arrived(50)
    const early = connectRaw(old.port)
    await early.connected
    // A connected socket may not be accepted yet; an answer proves that this one is.
    early.socket.write('GET /health HTTP/1.1\r\nHost: a\r\n\r\nPOST /execute HTTP/1.1\r\nHost: a\r\n')
    await early.until(received => received.includes('"ok"'))

    const closed = old.agent.close({ successor: true })
    const successor = await serveStage({
      port: old.port,
      handler: ({ text }) => ({ text: `new ${text}` }),
    })
    await idle.closed
    const fresh = await postBy(new KeepAlive(), successor.url, jobBody('fresh'))
    expect(fresh).toMatchObject({ status: 200, text: expect.stringContaining('new fresh') })
    const body = jobBody('early')
    early.socket.write(
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )
    await gateway.arrived(51)

    gateway.open()
    const answers = await Promise.all(open)
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(50).fill(200))
    expect(new Set(answers.map(({ connection }) => connection))).toEqual(new Set(['close']))
    expect(answers.every(({ text }) => text.includes('job'))).toBe(true)
    expect(await early.closed).toMatch(/HTTP\/1\.1 200 [\s\S]*connection: close[\s\S]*"early"/i)
    await closed
    expect((await fetch(`${successor.url}/health`)).status).toBe(200)
    keepAlive.destroy()
    await successor.agent.close()
  })

  test('a connection without a request does not delay it', async () => {
    const old = await serveStage()
    const silent = connectRaw(old.port)
    silent.socket.write('GET /health HTTP/1.1\r\nHost: a\r\n\r\nPOST')
    await silent.until(received => received.includes('"ok"'))
    await old.agent.close({ successor: true })
    expect(await silent.closed).not.toContain('503')
  })
})

/** The Node server of an agent. */
async function serverOf({ url }: SocketStage): Promise<Server> {
  const servers: Server[] = []
  const look = (message: unknown): void => {
    servers.push((message as { server: Server }).server)
  }
  subscribe('http.server.request.start', look)
  await fetch(`${url}/health`)
  unsubscribe('http.server.request.start', look)
  const [server] = servers
  if (server === undefined) throw new Error('no request came')
  return server
}

function postBy(
  agent: KeepAlive,
  url: string,
  body: string,
): Promise<{
  readonly status: number | undefined
  readonly connection: string | undefined
  readonly text: string
}> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      `${url}/execute`,
      { method: 'POST', agent, headers: { 'content-type': 'application/json' } },
      response => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => {
          text += chunk
        })
        response.on('end', () =>
          resolve({ status: response.statusCode, connection: response.headers.connection, text }),
        )
      },
    )
    request.on('error', reject)
    request.end(body)
  })
}
