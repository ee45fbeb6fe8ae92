import type { UnsentAnswers } from '@farebox/protocol/internal/body/unsent-answers'
import { whenOver } from '@farebox/protocol/internal/connection/when-over'
import { OPEN_GATE, type OutageGate, type Visit } from '@farebox/server/internal/postgres/outage-gate'
import { bytesOfRequest } from '@farebox/server/internal/postgres/waiting-room'
import { traceOf } from '@farebox/server/internal/request-trace'
import { untilGone } from '@farebox/server/internal/until-gone'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CROSS_ORIGIN, PREFLIGHT, isReadByAnyPage } from '../http/answer-headers.ts'
import { HttpRefusal } from '../http/answer-failure.ts'
import { callerKey } from '../http/caller-key.ts'
import { checkHeaders, checkPart } from '../http/check-request.ts'
import type { FindCaller } from './find-caller.ts'
import type { RateLimit } from '@farebox/server/internal/rate-limit'
import { Refusal } from '../http/refusal.ts'
import type { EventStreams } from '../http/event-streams.ts'
import type { Caller, Route, RouteAnswer } from '../http/route.ts'

/** The checks and shared state that every request passes through. */
export interface Door {
  readonly findCaller: FindCaller
  readonly rateLimit: RateLimit
  readonly tooOften: (seconds: number) => Refusal
  readonly unsent: UnsentAnswers
  readonly streams: EventStreams
  /** Where requests wait while the database is away. */
  readonly gate: OutageGate
  /** Rejects when the database is away. */
  readonly askDatabase: () => Promise<unknown>
  /** Aborts when handlers must end because the application closes. */
  readonly closing: AbortSignal
}

/** A request that passed the access check. */
interface Admitted {
  readonly caller: Caller
  /** Aborts when the caller has gone. */
  readonly signal: AbortSignal
  readonly visit: Visit
  /** The memory of the request before it is parsed. */
  readonly bytes: number
}

const PER_MINUTE = 120
/** How many times its bytes a parsed body takes in memory. */
const PARSED_TIMES = 20

/**
 * Adds a route to the application. The caller and its request rate are checked before the body is read; the body is checked
 * before the handler is called.
 *
 * @throws {Error} for an owner's route with parameters but without `belongsTo`
 */
export function mountRoute(app: FastifyInstance, route: Route, door: Door): void {
  if (route.access === 'owner' && route.params !== undefined && route.belongsTo === undefined)
    throw new Error(`${route.method} ${route.path} must say to whom its parameters belong`)
  const gate = route.waitsForDatabase === undefined ? OPEN_GATE : door.gate
  const admitted = new WeakMap<FastifyRequest, Admitted>()
  app.route({
    method: route.method,
    url: route.path,
    ...(route.maxBodyBytes !== undefined && { bodyLimit: route.maxBodyBytes }),
    onRequest: async (request, reply) => {
      if (isReadByAnyPage(route)) reply.headers(CROSS_ORIGIN)
      const signal = untilGone(request.raw, reply.raw, door.closing)
      const bytes = bytesOfRequest(request.headers, request.routeOptions.bodyLimit ?? Infinity)
      const visit = gate.enter({ signal, bytes })
      const caller = await visit.run(() => door.findCaller(request, route.access))
      const key = `${route.method} ${route.path} ${nameOf(caller)}`
      const seconds = door.rateLimit(key, route.perMinute ?? PER_MINUTE)
      if (seconds !== undefined) throw door.tooOften(seconds)
      admitted.set(request, { caller, signal, visit, bytes })
    },
    handler: async (request, reply) => {
      const found = admitted.get(request)
      if (found === undefined)
        throw new Error('a request reached its handler without passing the access check')
      const { caller, signal, visit, bytes } = found
      const handling = (): Promise<RouteAnswer> => handle(route, request, caller, signal)
      if (route.waitsForDatabase === 'once') await visit.run(door.askDatabase, PARSED_TIMES * bytes)
      const handled = await (route.waitsForDatabase === 'repeated'
        ? visit.run(handling, PARSED_TIMES * bytes)
        : handling())
      // A parsed body takes many times its bytes in memory, and some answers are waited for, so the body is released first.
      request.body = undefined
      if (handled.events !== undefined) {
        reply.headers(EVENT_STREAM)
        if (request.method === 'HEAD') return await reply.send()
        const stream = door.streams.open(nameOf(caller), handled.events, signal)
        // When the caller disconnects, the stream of a queued answer is never read, so it is destroyed here.
        whenOver(request.raw.socket, reply.raw, () => stream.destroy())
        return await reply.send(stream)
      }
      return await sendAnswer(reply, door.unsent, (await handled.later?.()) ?? handled)
    },
  })
}

/**
 * Headers of an event stream. `x-accel-buffering` asks proxies not to buffer. `connection: close` is set because a kept
 * connection would hold a closing application open: the stream started before the closing was known.
 */
const EVENT_STREAM = {
  connection: 'close',
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
} as const

/** The key under which a caller's requests and streams are counted. */
function nameOf(caller: Caller): string {
  return caller.kind === 'owner' ? caller.address : callerKey(caller.ip)
}

/** Not async, so that no pending frame keeps the body in memory. */
function handle(
  route: Route,
  { raw, params, query, headers, body }: FastifyRequest,
  caller: Caller,
  signal: AbortSignal,
): Promise<RouteAnswer> {
  return route.handle({
    params: checkPart('path', route.params, params),
    query: checkPart('query', route.query, query),
    headers: checkHeaders(route.headers, headers),
    body: checkPart('body', route.body, body),
    caller,
    trace: traceOf(raw),
    signal,
  })
}

/** Answers 405 with `Allow` to methods that a known path does not support, and answers CORS preflights. */
export function refuseOtherMethods(app: FastifyInstance, routes: readonly Route[]): void {
  for (const path of new Set(routes.map(route => route.path))) {
    const own = routes.filter(route => route.path === path)
    const methods = own.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    const allow = [...methods, 'OPTIONS'].join(', ')
    app.route({
      method: 'OPTIONS',
      url: path,
      handler: async (_, reply) =>
        await reply
          .code(204)
          .headers({ allow, ...(own.some(isReadByAnyPage) && PREFLIGHT) })
          .send(),
    })
    app.route({
      method: app.supportedMethods.filter(method => method !== 'OPTIONS' && !methods.includes(method)),
      url: path,
      // Refused before the body is read, since it is not needed.
      onRequest: async () => {
        throw new HttpRefusal(405, `method: must be one of ${allow}`, { allow })
      },
      handler: async (_, reply) => await reply.send(),
    })
  }
}

async function sendAnswer(
  reply: FastifyReply,
  unsent: UnsentAnswers,
  { status = 200, headers = {}, body }: RouteAnswer,
): Promise<FastifyReply> {
  const isTyped = Object.hasOwn(headers, 'content-type')
  const text = isTyped ? asText(body) : body === undefined ? undefined : JSON.stringify(body)
  const bytes = text === undefined ? 0 : Buffer.byteLength(text)
  if (!unsent.hasRoom(bytes)) {
    const message = 'too many answers wait for callers that read slowly: ask again'
    throw new Refusal('unavailable', message, { retryAfterSeconds: 5 })
  }
  reply.code(status).headers(headers)
  if (body !== undefined && !isTyped) reply.header('content-type', 'application/json; charset=utf-8')
  const { socket } = reply.request.raw
  // An injected request has no real socket.
  if ('setTimeout' in socket) unsent.add(socket, reply.raw, bytes)
  return await reply.send(text)
}

function asText(body: unknown): string | Buffer | undefined {
  if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) return body
  return JSON.stringify(body)
}
