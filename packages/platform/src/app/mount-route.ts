import type { UnsentAnswers } from '@farebox/protocol/internal/body/unsent-answers'
import { whenOver } from '@farebox/protocol/internal/connection/when-over'
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

/** What every request passes. */
export interface Door {
  readonly findCaller: FindCaller
  readonly rateLimit: RateLimit
  readonly tooOften: (seconds: number) => Refusal
  readonly unsent: UnsentAnswers
  readonly streams: EventStreams
  /** Aborts when handlers should end, because the app closes. */
  readonly closing: AbortSignal
}

const PER_MINUTE = 120

/**
 * Puts a route behind the door. Who asks and how often is looked at before the body is read, the body before the
 * handler is called.
 *
 * Throws for an owner's route with parameters that does not say whose they are.
 */
export function mountRoute(app: FastifyInstance, route: Route, door: Door): void {
  if (route.access === 'owner' && route.params !== undefined && route.belongsTo === undefined)
    throw new Error(`${route.method} ${route.path} must say to whom its parameters belong`)
  const callers = new WeakMap<FastifyRequest, Caller>()
  app.route({
    method: route.method,
    url: route.path,
    ...(route.maxBodyBytes !== undefined && { bodyLimit: route.maxBodyBytes }),
    onRequest: async (request, reply) => {
      if (isReadByAnyPage(route)) reply.headers(CROSS_ORIGIN)
      const caller = await door.findCaller(request, route.access)
      const key = `${route.method} ${route.path} ${nameOf(caller)}`
      const seconds = door.rateLimit(key, route.perMinute ?? PER_MINUTE)
      if (seconds !== undefined) throw door.tooOften(seconds)
      callers.set(request, caller)
    },
    handler: async (request, reply) => {
      const caller = callers.get(request)
      if (caller === undefined)
        throw new Error('a request reached its handler without passing the access check')
      const signal = untilGone(reply, door.closing)
      const handled = await handle(route, request, caller, signal)
      // A parsed body can weigh twenty times its bytes, and some answers are waited for.
      request.body = undefined
      if (handled.events !== undefined) {
        reply.headers(EVENT_STREAM)
        if (request.method === 'HEAD') return await reply.send()
        const stream = door.streams.open(nameOf(caller), handled.events, signal)
        // Nobody reads the stream of an answer that is queued behind another one when its caller leaves.
        whenOver(request.raw.socket, reply.raw, () => stream.destroy())
        return await reply.send(stream)
      }
      return await sendAnswer(reply, door.unsent, (await handled.later?.()) ?? handled)
    },
  })
}

/**
 * Proxies that collect an answer before they pass it on are asked not to. A connection that was kept would hold a closing
 * app open: its stream began before anybody knew of the closing.
 */
const EVENT_STREAM = {
  connection: 'close',
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
} as const

/** Under which name a caller is counted. */
function nameOf(caller: Caller): string {
  return caller.kind === 'owner' ? caller.address : callerKey(caller.ip)
}

/** Not awaited inside: nothing here keeps the body that it reads. */
function handle(
  route: Route,
  { params, query, headers, body }: FastifyRequest,
  caller: Caller,
  signal: AbortSignal,
): Promise<RouteAnswer> {
  return route.handle({
    params: checkPart('path', route.params, params),
    query: checkPart('query', route.query, query),
    headers: checkHeaders(route.headers, headers),
    body: checkPart('body', route.body, body),
    caller,
    signal,
  })
}

/** Answers 405 with `Allow` for the methods a known path does not have, and preflights of pages. */
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
      // Before a body is read: nobody wants it.
      onRequest: async () => {
        throw new HttpRefusal(405, `method: must be one of ${allow}`, { allow })
      },
      handler: async (_, reply) => await reply.send(),
    })
  }
}

/** Aborts when whoever asked has gone before the answer was sent, and when handlers should end. */
function untilGone(reply: FastifyReply, closing: AbortSignal): AbortSignal {
  const controller = new AbortController()
  const end = (): void => controller.abort(closing.reason)
  if (closing.aborted) end()
  closing.addEventListener('abort', end)
  whenOver(reply.request.raw.socket, reply.raw, () => {
    closing.removeEventListener('abort', end)
    if (!reply.raw.writableFinished) controller.abort(new Error('the caller has gone'))
  })
  return controller.signal
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
  // A request that was injected has no real one.
  if ('setTimeout' in socket) unsent.add(socket, reply.raw, bytes)
  return await reply.send(text)
}

function asText(body: unknown): string | Buffer | undefined {
  if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) return body
  return JSON.stringify(body)
}
