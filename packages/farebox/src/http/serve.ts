import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { createConnections } from '@farebox/protocol/internal/connection/connections'
import { within } from '@farebox/protocol/internal/time/within'
import { MAX_HEADER_SECTION_BYTES } from '@farebox/protocol/limits'
import { steadyClock, type Clock } from '@farebox/protocol/time/clock'
import { answerBrokenRequest, wholeFailure } from './answer-broken-request.ts'
import { failure, lastFailure, shuttingDown, type Answer } from '../answer/answer.ts'
import { HIRE_PATH_HEADER, type CallOrigin } from '../handler/job-hiring.ts'
import { finishJobs, type StopGrace } from './finish-jobs.ts'
import { createInFlight } from './in-flight.ts'
import { createBodyReader } from './read-body.ts'
import { ownAddress, refuseHeaders } from './refuse-headers.ts'
import { unreadable, type ServiceRoutes } from './service-routes.ts'
import { refuseForeign } from './this-machine-only.ts'
import { createAnswerWriter } from './write-answer.ts'
import { createActiveSet, type Placed } from '../active-set.ts'

/** The routes on a socket. */
export interface HttpServer {
  /** Resolves to the port, which the system chose where 0 was asked. Rejects where it cannot listen. */
  listen(
    port: number,
    host: string | undefined,
    /** Refuses what comes from, or for, another host than this machine: a page in a browser, a rebound name. */
    options?: { readonly thisMachineOnly: boolean },
  ): Promise<number>
  /**
   * Answers new jobs 503 from now on, lets those in flight finish until the grace is over, and closes every connection
   * (D32). Bodies that are not whole are not waited for.
   */
  close(grace: StopGrace): Promise<void>
  /**
   * Stops listening at once, because somebody else has the address from now on, and lets what has come be answered
   * until the grace is over; nobody is refused. A connection that has asked nothing yet is waited for a moment.
   */
  handOver(grace: StopGrace): Promise<void>
}

/** Slow clients are cut off here; Node's own defaults would let them stay for minutes, or for ever (HTTP-03, 04, 08). */
const GUARDS = {
  maxHeaderSize: MAX_HEADER_SECTION_BYTES,
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

/** A job that was asked for, and is answered later. */
interface Exchange extends Placed {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** Makes the server; nothing listens yet. */
export function createHttpServer(routes: ServiceRoutes, clock: Clock): HttpServer {
  const inFlight = createInFlight()
  const bodies = createBodyReader()
  const connections = createConnections({
    nowMs: steadyClock.nowMs,
    after: (ms, callback) => clock.after(ms, callback),
  })
  const send = createAnswerWriter(connections)
  const arriving = createActiveSet<Exchange>()
  const unanswered = createActiveSet<Exchange>()
  let thisMachineOnly = false
  let closing: 'no' | 'refusing newcomers' | 'leaving them to a successor' = 'no'
  const server = createServer(GUARDS, (request, response) => {
    if (!connections.begin(request, response)) return
    // The response's, because destroying a request that was read leaves its connection open, and its caller waiting.
    inFlight.begin()
    void serve(request, response)
      .catch(() => {
        response.destroy()
      })
      .then(inFlight.end)
  })
  server.maxConnections = MAX_CONNECTIONS
  // Callers that end their side after the request, as programs with one request do, still get their answer. Node's own
  // property, which its types do not name.
  Object.assign(server, { httpAllowHalfOpen: true })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) =>
    connections.refuse(socket, error, answerBrokenRequest(error, GUARDS.maxHeaderSize)),
  )
  server.on('connect', (_, socket: Duplex) =>
    connections.refuse(socket, {}, wholeFailure(405, 'Method Not Allowed', 'an agent is no proxy')),
  )
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    if (!connections.begin(request, response)) return
    const refused = failure('validation', 400, 'the Expect header is not taken here')
    send(request, response, { ...refused, close: true })
  })

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = request.url ?? ''
    const query = url.indexOf('?')
    const path = query === -1 ? url : url.slice(0, query)
    const refused = refuseHeaders(request) ?? (thisMachineOnly ? refuseForeign(request.headers) : undefined)
    if (refused !== undefined) return send(request, response, refused)
    const routed = routes.route(request.method ?? '', path)
    if (routed !== 'execute') return send(request, response, lastIfClosing(routed))
    if (closing === 'refusing newcomers') return send(request, response, shuttingDown())
    const exchange: Exchange = { request, response, place: -1 }
    arriving.add(exchange)
    const body = await bodies.read(request)
    arriving.delete(exchange)
    if (body === 'gone') return
    if (typeof body === 'string') return send(request, response, unreadable(body))
    unanswered.add(exchange)
    try {
      const answer = await routes.execute({
        contentType: request.headers['content-type'],
        body,
        paymentHeaders: paymentHeaders(request.rawHeaders),
        calledUrl: `http://${request.headers.host ?? ownAddress(request)}/execute`,
        origin: callOrigin(request),
      })
      // Answered in its place where the grace was over.
      if (unanswered.delete(exchange)) send(request, response, lastIfClosing(answer))
    } finally {
      bodies.release(body)
    }
  }

  /** Whatever a job still waits for then, nothing is known of its charge. */
  function answerTheRest(): void {
    for (const { request, response } of unanswered.takeAll()) send(request, response, undecided())
  }

  /** The last on its connection, where this server takes no more of them. */
  function lastIfClosing(answer: Answer): Answer {
    return closing === 'no' ? answer : { ...answer, close: true }
  }

  return {
    listen: (port, host, options) =>
      new Promise((resolve, reject) => {
        thisMachineOnly = options?.thisMachineOnly ?? false
        server.once('error', reject)
        server.listen({ port, ...(host === undefined ? {} : { host }), backlog: 1_024 }, () => {
          server.removeListener('error', reject)
          const address = server.address()
          resolve(typeof address === 'object' && address !== null ? address.port : port)
        })
      }),
    async close(grace) {
      closing = 'refusing newcomers'
      for (const { request } of arriving.takeAll()) request.socket.destroy()
      // Listening goes on meanwhile: whoever comes now is told that nothing was charged, instead of nothing at all.
      server.closeIdleConnections()
      await finishJobs(clock, grace, inFlight.whenNone())
      answerTheRest()
      await closeConnections(server, closeListener(server), clock)
    },
    async handOver(grace) {
      closing = 'leaving them to a successor'
      const closed = closeListener(server)
      server.closeIdleConnections()
      await within(clock, LAST_WORDS_MS, closed)
      // More may come meanwhile, on connections that were open before.
      await finishJobs(clock, grace, inFlight.whenNone())
      answerTheRest()
      await closeConnections(server, closed, clock)
    },
  }
}

/** The answer to who waits for another's run, or for a settlement, when a stop has no more time. */
function undecided(): Answer {
  return lastFailure('internal', 503, 'shutting down: send the same request again', { 'retry-after': '5' })
}

function callOrigin({ headers }: IncomingMessage): CallOrigin {
  const text = (value: string | string[] | undefined): string | undefined =>
    typeof value === 'string' ? value : undefined
  return { hirePath: text(headers[HIRE_PATH_HEADER]), traceparent: text(headers['traceparent']) }
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
