import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { MAX_BODY_BYTES } from '@farebox/protocol/limits'
import { sleep, type Clock } from '../clock.ts'
import { answerBrokenRequest, endWithFailure } from './answer-broken-request.ts'
import { failure, type Answer } from './answer.ts'
import { createInFlight } from './in-flight.ts'
import { createBodyReader } from './read-body.ts'
import { COMMON_HEADERS, shuttingDown, tooLarge, tooMany, type ServiceRoutes } from './service-routes.ts'

/** The routes on a socket. */
export interface HttpServer {
  /** Resolves to the port, which the system chose where 0 was asked. Rejects where it cannot listen. */
  listen(port: number, host: string | undefined): Promise<number>
  /** Answers new jobs 503 from now on, lets those in flight finish for so long, and closes every connection (D32). */
  close(graceMs: number): Promise<void>
  /**
   * Stops listening at once, because somebody else has the address from now on, and lets what has come be answered
   * for so long; nobody is refused. A connection that has asked nothing yet is waited for a moment.
   */
  handOver(graceMs: number): Promise<void>
}

/** Slow clients are cut off here; Node's own defaults would let them stay for minutes, or for ever (HTTP-03, 04, 08). */
const GUARDS = {
  maxHeaderSize: 16_384,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 5_000,
  // Answered by us, in our own form, instead of by Node with an empty body.
  requireHostHeader: false,
  joinDuplicateHeaders: false,
} as const
const MAX_CONNECTIONS = 10_000
/** A connection that says nothing so long after the others are done is closed. */
const LAST_WORDS_MS = 1_000

/** Makes the server; nothing listens yet. */
export function createHttpServer(routes: ServiceRoutes, clock: Clock): HttpServer {
  const inFlight = createInFlight()
  const readBody = createBodyReader()
  let closing: 'no' | 'refusing newcomers' | 'leaving them to a successor' = 'no'
  const server = createServer(GUARDS, (request, response) => {
    // The response's, because destroying a request that was read leaves its connection open, and its caller waiting.
    inFlight.begin()
    void serve(request, response)
      .catch(() => {
        response.destroy()
      })
      .then(inFlight.end)
  })
  server.maxConnections = MAX_CONNECTIONS
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) =>
    answerBrokenRequest(error, socket, GUARDS.maxHeaderSize),
  )
  server.on('connect', (_, socket: Duplex) =>
    endWithFailure(socket, 405, 'Method Not Allowed', 'an agent is no proxy'),
  )
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
    send(request, response, {
      ...failure('validation', 400, 'the Expect header is not taken here'),
      close: true,
    }),
  )

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = request.url ?? ''
    const query = url.indexOf('?')
    const path = query === -1 ? url : url.slice(0, query)
    if (request.headers.host === undefined) {
      return send(request, response, {
        ...failure('validation', 400, 'the Host header is required'),
        close: true,
      })
    }
    const routed = routes.route(request.method ?? '', path)
    if (routed !== 'execute') return send(request, response, lastIfClosing(routed))
    if (closing === 'refusing newcomers') return send(request, response, shuttingDown())
    const body = await readBody(request)
    if (body === 'gone') return
    if (body === 'too large') return send(request, response, tooLarge(MAX_BODY_BYTES))
    if (body === 'too many') return send(request, response, tooMany())
    const answer = await routes.execute({
      contentType: request.headers['content-type'],
      body,
      paymentHeaders: paymentHeaders(request.rawHeaders),
      calledUrl: `http://${request.headers.host}/execute`,
    })
    send(request, response, lastIfClosing(answer))
  }

  /** The last on its connection, where this server takes no more of them. */
  function lastIfClosing(answer: Answer): Answer {
    return closing === 'no' ? answer : { ...answer, close: true }
  }

  return {
    listen: (port, host) =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen({ port, ...(host === undefined ? {} : { host }), backlog: 1_024 }, () => {
          server.removeListener('error', reject)
          const address = server.address()
          resolve(typeof address === 'object' && address !== null ? address.port : port)
        })
      }),
    async close(graceMs) {
      closing = 'refusing newcomers'
      // Listening goes on meanwhile: whoever comes now is told that nothing was charged, instead of nothing at all.
      server.closeIdleConnections()
      await within(clock, graceMs, inFlight.whenNone())
      await closeConnections(server, closeListener(server), clock)
    },
    async handOver(graceMs) {
      closing = 'leaving them to a successor'
      const closed = closeListener(server)
      server.closeIdleConnections()
      await within(clock, LAST_WORDS_MS, closed)
      // More may come meanwhile, on connections that were open before.
      await within(clock, graceMs, inFlight.whenNone())
      await closeConnections(server, closed, clock)
    },
  }
}

/** Read from the raw list: Node joins repeated headers, and two payments must not look like one (PAY-35). */
function paymentHeaders(rawHeaders: readonly string[]): readonly string[] {
  const found: string[] = []
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (name.length !== 17 && name.length !== 9) continue
    const lower = name.toLowerCase()
    if (lower === 'payment-signature' || lower === 'x-payment') found.push(rawHeaders[index + 1] ?? '')
  }
  return found
}

function send(request: IncomingMessage, response: ServerResponse, answer: Answer): void {
  if (response.destroyed) return
  const { status, body } = answer
  const unread = announcesBody(request) && !request.complete
  const close = answer.close === true || unread
  const length = answer.bodyBytes ?? Buffer.byteLength(body)
  const headers = flatHeaders(answer.headers)
  if (status !== 204) headers.push('content-length', String(length))
  if (close) headers.push('connection', 'close')
  response.writeHead(status, headers)
  response.end(request.method === 'HEAD' || status === 204 ? undefined : body)
  // What was not read must not be waited for: the connection ends once the answer is out.
  if (unread) response.on('finish', () => request.socket.destroySoon())
}

/** Names and values in one list: Node writes it down as it stands, which spares a third of what an object costs. */
function flatHeaders(own: Answer['headers']): string[] {
  const flat = [...FLAT_COMMON_HEADERS]
  for (const name of Object.keys(own)) flat.push(name, own[name] ?? '')
  return flat
}

const FLAT_COMMON_HEADERS: readonly string[] = Object.entries(COMMON_HEADERS).flat()

/** A request without a body is not `complete` either while its event is being handled. */
function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

async function closeConnections(server: Server, closed: Promise<void>, clock: Clock): Promise<void> {
  // Every answer since the stop said `Connection: close`; those still open then have nothing more to say.
  server.closeIdleConnections()
  await within(clock, LAST_WORDS_MS, closed)
  server.closeAllConnections()
  await closed
}

/** Takes no connection any more; resolves once the last one is over. */
function closeListener(server: Server): Promise<void> {
  return new Promise(resolve => {
    server.close(() => resolve())
  })
}

/** Waits for work, and no longer than so long. */
async function within(clock: Clock, ms: number, work: Promise<unknown>): Promise<void> {
  const over = new AbortController()
  await Promise.race([work, sleep(clock, ms, over.signal)])
  over.abort()
}
