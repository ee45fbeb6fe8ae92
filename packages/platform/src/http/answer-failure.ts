import type { Failure } from '@farebox/platform-api/errors'
import { isDatabaseAway } from '@farebox/server/internal/postgres/database-failure'
import { DatabaseAwayError } from '@farebox/server/internal/postgres/waiting-room'
import { describeError, type Log } from '@farebox/server/log'
import type { FastifyReply } from 'fastify'
import { REFUSAL_STATUS, Refusal, type RefusalType } from './refusal.ts'

/** A refusal with an HTTP status that none of the platform's refusal types has. */
export class HttpRefusal extends Error {
  override readonly name = 'HttpRefusal'
  readonly status: 405 | 408 | 413 | 415
  readonly headers: { readonly [name: string]: string }

  constructor(
    status: 405 | 408 | 413 | 415,
    message: string,
    headers: { readonly [name: string]: string } = {},
  ) {
    super(message)
    this.status = status
    this.headers = headers
  }
}

const RETRY_SECONDS = 2

/**
 * Converts every error of a route to the error envelope; the only place that does so. Details that the caller must not see
 * are answered as `Internal error` and logged.
 *
 * @param request the id that links the log lines of one request, the trace it came with, and the route's pattern
 */
export async function answerFailure(
  error: unknown,
  reply: FastifyReply,
  log: Log,
  request: { readonly request: string; readonly trace: string | undefined; readonly route: string },
): Promise<FastifyReply> {
  if (error instanceof HttpRefusal) {
    return await send(reply.headers(error.headers), error.status, 'validation', error.message)
  }
  if (error instanceof Refusal) {
    if (error.cause !== undefined) {
      log.warn('refused', { ...request, kind: error.type, error: describeError(error) })
    }
    if (error.type === 'unauthorized') reply.header('www-authenticate', 'Bearer')
    const seconds = error.retryAfterSeconds ?? (error.type === 'unavailable' ? RETRY_SECONDS : undefined)
    if (seconds !== undefined) reply.header('retry-after', String(seconds))
    return await send(reply, REFUSAL_STATUS[error.type], error.type, error.message, error.details)
  }
  if (error instanceof DatabaseAwayError) {
    reply.header('retry-after', String(error.retryAfterSeconds))
    return await send(reply, 503, 'unavailable', error.message)
  }
  const { status, code } = readFrameworkError(error)
  if (status !== undefined) {
    return await send(reply, status, 'validation', FRAMEWORK_WORDS[code] ?? 'the request could not be read')
  }
  log.error('request failed', { ...request, error: describeError(error) })
  if (!isDatabaseAway(error)) return await send(reply, 500, 'internal', 'Internal error')
  reply.header('retry-after', String(RETRY_SECONDS))
  return await send(reply, 503, 'unavailable', 'the platform cannot answer now: ask again in a moment')
}

const UNREADABLE: Failure = {
  status: 'failed',
  error_type: 'validation',
  error: 'request: is no HTTP that could be read',
}

/** The complete HTTP response to bytes that are not a valid request, because no reply object exists for them. */
export function answerUnreadable({ code }: { readonly code?: string }): string {
  const body = JSON.stringify(UNREADABLE)
  return (
    `HTTP/1.1 ${STATUS_LINES[code ?? ''] ?? '400 Bad Request'}\r\n` +
    `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${body.length}\r\n` +
    `X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n${body}`
  )
}

const STATUS_LINES: { readonly [code: string]: string } = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
}

async function send(
  reply: FastifyReply,
  status: number,
  type: RefusalType,
  error: string,
  details: Refusal['details'] = {},
): Promise<FastifyReply> {
  const envelope: Failure = { status: 'failed', error_type: type, error }
  return await reply
    .code(status)
    .header('cache-control', 'no-store')
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify({ ...details, ...envelope }))
}

const FRAMEWORK_WORDS: { readonly [code: string]: string } = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body: is larger than this route takes',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'content-type: must be application/json',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'body: is not as long as its content-length says',
  FST_ERR_MAX_PARAM_LENGTH: 'path: a part of it is too long',
  FST_ERR_BAD_URL: 'path: is no valid URL path',
}

/** Refusals of the framework itself have a status below 500. The status of any other error is ignored. */
function readFrameworkError(error: unknown): { readonly status: number | undefined; readonly code: string } {
  if (!(error instanceof Error) || !('code' in error) || !('statusCode' in error))
    return { status: undefined, code: '' }
  const { code, statusCode } = error
  const isOurs = typeof code === 'string' && code.startsWith('FST_') && typeof statusCode === 'number'
  return isOurs && statusCode < 500 ? { status: statusCode, code } : { status: undefined, code: '' }
}
