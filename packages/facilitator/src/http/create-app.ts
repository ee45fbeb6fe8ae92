import type { UnreadBody } from '@farebox/protocol/internal/body/read-node-stream'
import { describeError, type Log } from '@farebox/server/log'
import { createRequestBodies, type RequestBodies } from '@farebox/server/internal/request-bodies'
import { loggedTraceOf, openTrace } from '@farebox/server/internal/request-trace'
import { DatabaseAwayError } from '@farebox/server/internal/postgres/waiting-room'
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { UnavailableError } from '../engine/refusal.ts'
import { sendError } from './answer.ts'

/** A verify request has about 2 KB; no valid request comes near this limit. */
const MAX_BODY_BYTES = 65_536
/** A request must have arrived completely within this time. */
const REQUEST_TIMEOUT_MS = 10_000
/** The complete response to bytes that are not an HTTP request. */
const UNREADABLE = ((body: string) =>
  `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${body.length}\r\n` +
  `Connection: close\r\n\r\n${body}`)(JSON.stringify({ error: 'the request could not be read' }))

/**
 * Creates the HTTP application without routes: bodies arrive as text, and every failure is answered with `{"error"}` without
 * internal details, which are logged.
 */
export function createHttpApp(log: Log, isDraining: () => boolean = () => false): FastifyInstance {
  const bodies = createRequestBodies()
  const app = fastify({
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: 'idle',
    logger: false,
    clientErrorHandler: (error, socket) => bodies.refuse(socket, error, UNREADABLE),
  })
  addBodyReader(app, bodies)
  app.addHook('onRequest', ({ raw, routeOptions }, reply, done) => {
    openTrace(raw, reply.raw, routeOptions.url ?? '(none)')
    done()
  })
  let closing = false
  app.addHook('preClose', done => {
    closing = true
    done()
  })
  // Keep-alive connections would keep the process alive for more than a minute.
  app.addHook('onSend', (_, reply, payload, done) => {
    if (closing || isDraining()) reply.header('connection', 'close')
    done(null, payload)
  })
  app.setNotFoundHandler(async (_, reply) => {
    await sendError(reply, 404, 'no such route')
    return reply
  })
  app.setErrorHandler(async (error, request, reply) => {
    if (error instanceof UnavailableError || error instanceof DatabaseAwayError) {
      reply.header('retry-after', String(error.retryAfterSeconds))
      await sendError(reply, 503, error.message)
      return reply
    }
    const status = statusOf(error)
    if (status < 500) {
      await sendError(reply, status, 'the request could not be read')
      return reply
    }
    log.error('request failed', {
      route: `${request.method} ${request.routeOptions.url ?? ''}`,
      trace: loggedTraceOf(request.raw),
      error: describeError(error),
    })
    await sendError(reply, 503, 'the facilitator cannot answer now: come back later')
    return reply
  })
  return app
}

/** Reads bodies from the first byte, because unread chunks accumulate; the routes parse them. */
function addBodyReader(app: FastifyInstance, bodies: RequestBodies): void {
  app.addHook('onRequest', (request, reply, done) => {
    const isServed = bodies.begin(request.raw, reply.raw, request.routeOptions.bodyLimit ?? MAX_BODY_BYTES)
    if (!isServed) reply.hijack()
    else done()
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    if (bodies.isLast(request.raw)) reply.header('connection', 'close')
    done(null, payload)
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', async ({ raw }: FastifyRequest): Promise<string> => {
    const body = await bodies.read(raw)
    if (typeof body === 'string') throw new UnreadableBody(body)
    return new TextDecoder().decode(body)
  })
}

/** A request body that could not be read. */
class UnreadableBody extends Error {
  override readonly name = 'UnreadableBody'
  readonly statusCode: number

  constructor(why: UnreadBody) {
    super(`the body is ${why}`)
    this.statusCode = why === 'gone' ? 400 : why === 'no room' ? 503 : 413
  }
}

function statusOf(error: unknown): number {
  return error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number'
    ? error.statusCode
    : 500
}
