import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { within } from '@farebox/protocol/internal/time/within'
import { MAX_HEADER_SECTION_BYTES } from '@farebox/protocol/limits'
import type { Clock } from '@farebox/protocol/time/clock'
import { failureAnswer, lastFailure, type Answer } from '../answer/answer.ts'
import { answerBrokenRequest, wholeFailure } from './answer-broken-request.ts'
import { finishJobs, type StopGrace } from './finish-jobs.ts'
import { createServing, serveRequest, type RequestServing } from './serve-request.ts'
import type { ServiceRoutes } from './service-routes.ts'

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

/** Makes the server; nothing listens yet. */
export function createHttpServer(routes: ServiceRoutes, clock: Clock): HttpServer {
  const serving = createServing(routes, clock)
  const server = createGuardedServer(serving)
  return {
    listen(port, host, options) {
      serving.thisMachineOnly = options?.thisMachineOnly ?? false
      return listen(server, port, host)
    },
    async close(grace) {
      serving.closing = 'refusing newcomers'
      for (const { request } of serving.arriving.takeAll()) request.socket.destroy()
      // Listening goes on meanwhile: whoever comes now is told that nothing was charged, instead of nothing at all.
      server.closeIdleConnections()
      await finishJobs(clock, grace, serving.inFlight.whenNone())
      answerTheRest(serving)
      await closeConnections(server, closeListener(server), clock)
    },
    async handOver(grace) {
      serving.closing = 'leaving them to a successor'
      const closed = closeListener(server)
      server.closeIdleConnections()
      await within(clock, LAST_WORDS_MS, closed)
      // More may come meanwhile, on connections that were open before.
      await finishJobs(clock, grace, serving.inFlight.whenNone())
      answerTheRest(serving)
      await closeConnections(server, closed, clock)
    },
  }
}

function createGuardedServer(serving: RequestServing): Server {
  const { connections, inFlight, send } = serving
  const server = createServer(GUARDS, (request, response) => {
    if (!connections.begin(request, response)) return
    // The response's, because destroying a request that was read leaves its connection open, and its caller waiting.
    inFlight.begin()
    void serveRequest(serving, request, response)
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
    const refused = failureAnswer('validation', 400, 'the Expect header is not taken here')
    send(request, response, { ...refused, close: true })
  })
  return server
}

function listen(server: Server, port: number, host: string | undefined): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, ...(host === undefined ? {} : { host }), backlog: 1_024 }, () => {
      server.removeListener('error', reject)
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

/** Of whatever a job still waits for then, nothing is known of its charge. */
function answerTheRest({ unanswered, send }: RequestServing): void {
  for (const { request, response } of unanswered.takeAll()) send(request, response, undecided())
}

/** The answer to who waits for another's run, or for a settlement, when a stop has no more time. */
function undecided(): Answer {
  return lastFailure('internal', 503, 'shutting down: send the same request again', { 'retry-after': '5' })
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
