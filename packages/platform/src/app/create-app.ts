import { randomUUID } from 'node:crypto'
import type { Log } from '@farebox/server/log'
import { createUnsentAnswers } from '@farebox/protocol/internal/body/unsent-answers'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { PlatformParts } from '../platform-parts.ts'
import { addAnswerHeaders } from '../http/answer-headers.ts'
import { answerFailure, answerUnreadable } from '../http/answer-failure.ts'
import { addBodyParser } from '../http/body-parser.ts'
import { callerKey } from '../http/caller-key.ts'
import type { Pages } from '@farebox/web/create-pages'
import { mountPages } from '../pages/mount-pages.ts'
import { createEventStreams, type EventStreams } from '../http/event-streams.ts'
import { closeInOrder } from '../http/close-in-order.ts'
import { createFindCaller } from './find-caller.ts'
import { mountRoute, refuseOtherMethods, type Door } from './mount-route.ts'
import { createOutageGate, takesWrites, type OutageGate } from '@farebox/server/internal/postgres/outage-gate'
import { createRateLimit } from '@farebox/server/internal/rate-limit'
import { createRequestBodies, type RequestBodies } from '@farebox/server/internal/request-bodies'
import { loggedTraceOf, openTrace } from '@farebox/server/internal/request-trace'
import { refuseForeignHost } from '../http/refuse-foreign-host.ts'
import { Refusal } from '../http/refusal.ts'
import type { Route } from '../http/route.ts'

/** Options of the platform's HTTP application. */
export interface AppOptions {
  /** Addresses or CIDR ranges of proxies whose `x-forwarded-for` is trusted. Default: none. */
  readonly trustedProxies?: readonly string[]
  /** The limit of requests per minute from one address, over all routes. Default 3,000. */
  readonly requestsPerMinute?: number
  /** The web pages served at the same address. Default: none, so only the API is served. */
  readonly pages?: Pages | undefined
}

const MAX_BODY_BYTES = 65_536
/** The time within which a request must have arrived completely. */
const REQUEST_TIMEOUT_MS = 10_000
const KEEP_ALIVE_MS = 65_000
const MAX_CONNECTIONS = 10_000
const MAX_PARAMETER_CHARACTERS = 200
const REQUESTS_PER_MINUTE = 3_000

/**
 * Creates the HTTP application. Every route passes the same checks of caller, rate and input; every failure is answered
 * with `{status: "failed", error_type, error}`. The application does not listen yet.
 *
 * @throws {Error} for two routes with the same method and path, or an owner's route with parameters and no `belongsTo`
 */
export function createApp(
  parts: Pick<PlatformParts, 'database' | 'clock' | 'log' | 'settings' | 'drain'>,
  routes: readonly Route[],
  options: AppOptions = {},
): FastifyInstance {
  const { clock, log, settings } = parts
  const isSecure = settings.publicUrl.startsWith('https:')
  const answer: AnswerError = async (error, request, reply) => {
    const route = `${request.method} ${request.routeOptions.url ?? ''}`
    addAnswerHeaders(reply.header('x-request-id', request.id), isSecure)
    return await answerFailure(error, reply, log, {
      request: request.id,
      trace: loggedTraceOf(request.raw),
      route,
    })
  }
  const bodies = createRequestBodies()
  const app = openServer(answer, bodies, options.trustedProxies ?? [])
  addBodyParser(app, bodies)
  const closing = closeInOrder(app, parts)
  const rateLimit = createRateLimit(clock)
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
    openTrace(request.raw, reply.raw, request.routeOptions.url ?? '(none)')
    if (settings.localMode) refuseForeignHost(request.headers.host, settings.publicUrl)
    const seconds = rateLimit(callerKey(request.ip), options.requestsPerMinute ?? REQUESTS_PER_MINUTE)
    if (seconds !== undefined) throw tooOften(seconds)
  })
  app.addHook('onSend', async (_, reply) => addAnswerHeaders(reply, isSecure))
  logRequests(app, log)
  if (options.pages !== undefined) mountPages(app, options.pages)
  const door: Door = {
    findCaller: createFindCaller(parts),
    rateLimit,
    tooOften,
    unsent: createUnsentAnswers(),
    streams: openStreams(app, clock),
    gate: openGate(app, parts),
    askDatabase: () => takesWrites(parts.database),
    closing,
  }
  for (const route of routes) mountRoute(app, route, door)
  refuseOtherMethods(app, routes)
  return app
}

/** Event streams end before the application closes, because they would keep it open for minutes; their clients reconnect. */
function openStreams(app: FastifyInstance, clock: PlatformParts['clock']): EventStreams {
  const streams = createEventStreams(clock)
  app.addHook('preClose', done => {
    streams.end()
    done()
  })
  return streams
}

/** During an outage of the database, orders wait at this gate. */
function openGate(
  app: FastifyInstance,
  { database, clock, log }: Pick<PlatformParts, 'database' | 'clock' | 'log'>,
): OutageGate {
  const gate = createOutageGate({
    takesWrites: () => takesWrites(database),
    clock,
    onChange: isAway =>
      isAway
        ? log.warn('the database is unavailable: orders wait')
        : log.info('the database is back: waiting orders continue'),
  })
  app.addHook('preClose', done => {
    gate.close()
    done()
  })
  return gate
}

type AnswerError = (error: unknown, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

function openServer(
  answer: AnswerError,
  bodies: RequestBodies,
  trustedProxies: readonly string[],
): FastifyInstance {
  const app = fastify({
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: 'idle',
    logger: false,
    // The API's own refusal answers in the error envelope.
    return503OnClosing: false,
    trustProxy: [...trustedProxies],
    requestIdHeader: false,
    genReqId: () => randomUUID(),
    routerOptions: { maxParamLength: MAX_PARAMETER_CHARACTERS },
    frameworkErrors: (error, request, reply) => {
      void answer(error, request, reply)
    },
    clientErrorHandler: (error, socket) => bodies.refuse(socket, error, answerUnreadable(error)),
  })
  app.server.maxConnections = MAX_CONNECTIONS
  app.setNotFoundHandler(() => {
    throw new Refusal('not_found', 'path: no such route')
  })
  app.setErrorHandler(answer)
  return app
}

const PROBES = new Set(['/health', '/ready'])

/** Logs one line per request, with the route instead of the URL, because a URL may contain a secret. */
function logRequests(app: FastifyInstance, log: Log): void {
  app.addHook('onResponse', async (request, reply) => {
    // A balancer asks twice a second.
    if (PROBES.has(request.routeOptions.url ?? '') && reply.statusCode === 200) return
    log.info('request', {
      request: request.id,
      trace: loggedTraceOf(request.raw),
      route: `${request.method} ${request.routeOptions.url ?? '(none)'}`,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    })
  })
}

function tooOften(seconds: number): Refusal {
  return new Refusal('rate_limited', `too many requests: ask again in ${seconds} s`, {
    retryAfterSeconds: seconds,
  })
}
