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

/** The server for the routes. */
export interface HttpServer {
  /** Listens and resolves to the port; port 0 selects a free one. Rejects when it cannot listen. */
  listen(
    port: number,
    host: string | undefined,
    /** Refuses requests from pages of other hosts and requests under another host name, such as a rebound DNS name. */
    options?: { readonly thisMachineOnly: boolean },
  ): Promise<number>
  /** Answers as before, and ends each connection with its next answer: callers come back to another process. */
  drain(): void
  /**
   * Answers new jobs 503 from now on, lets jobs in flight finish until the grace period is over, and closes every
   * connection (D32). It does not wait for bodies that are still being received.
   */
  close(grace: StopGrace): Promise<void>
  /**
   * Stops listening at once, because another process takes over the address, and lets received requests finish until
   * the grace period is over; none is refused. A connection without a request so far gets a short time to send one.
   */
  handOver(grace: StopGrace): Promise<void>
}

/**
 * Limits for slow clients: Node's defaults would keep their connections open for minutes, or forever (HTTP-03, 04, 08).
 */
const GUARDS = {
  maxHeaderSize: MAX_HEADER_SECTION_BYTES,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 5_000,
  // A missing Host header is answered by refuseHeaders in this agent's format; Node would send an empty body.
  requireHostHeader: false,
  joinDuplicateHeaders: false,
} as const
const MAX_CONNECTIONS = 10_000
/** How long idle connections stay open after the requests in progress are done. */
const LAST_WORDS_MS = 1_000

/** Makes the server, which does not listen yet. */
export function createHttpServer(routes: ServiceRoutes, clock: Clock): HttpServer {
  const serving = createServing(routes, clock)
  const server = createGuardedServer(serving)
  return {
    listen(port, host, options) {
      serving.thisMachineOnly = options?.thisMachineOnly ?? false
      return listen(server, port, host)
    },
    drain() {
      serving.closing = 'draining'
    },
    async close(grace) {
      serving.closing = 'refusing newcomers'
      for (const { request } of serving.arriving.takeAll()) request.socket.destroy()
      // The server continues to listen meanwhile, so that new callers get a response which says that nothing was
      // charged.
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
      // Open connections may send more requests meanwhile.
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
    // After an error the response is destroyed, because destroying a request that was already read leaves its connection
    // open and its caller waiting.
    inFlight.begin()
    void serveRequest(serving, request, response)
      .catch(() => {
        response.destroy()
      })
      .then(inFlight.end)
  })
  server.maxConnections = MAX_CONNECTIONS
  // Callers may close their sending side after the request, as programs with a single request do, and still get a
  // response. This is a property of Node's server that its types do not declare.
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

/** Answers the jobs that are still waiting, for which it is unknown whether they will be charged. */
function answerTheRest({ unanswered, send }: RequestServing): void {
  for (const { request, response } of unanswered.takeAll()) send(request, response, undecided())
}

/** The response to a caller that waits for another run or a settlement when the time for the stop is over. */
function undecided(): Answer {
  return lastFailure('internal', 503, 'shutting down: send the same request again', { 'retry-after': '5' })
}

async function closeConnections(server: Server, closed: Promise<void>, clock: Clock): Promise<void> {
  // Every response since the stop had `Connection: close`; connections that are still open are idle.
  server.closeIdleConnections()
  await within(clock, LAST_WORDS_MS, closed)
  server.closeAllConnections()
  await closed
}

/** Stops accepting connections; resolves when the last one is closed. */
function closeListener(server: Server): Promise<void> {
  return new Promise(resolve => {
    server.close(() => resolve())
  })
}
