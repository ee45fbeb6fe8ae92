import { failure } from '@farebox/platform-api/errors'
import { sleep } from '@farebox/protocol/time/clock'
import { AgentUnreachable } from './agent-errors.ts'
import { backOffMs } from './back-off.ts'
import type { Connection } from './client-options.ts'
import { type WholeAnswer, exchange, type ExchangeRequest } from './exchange.ts'
import { PlatformRefused, PlatformUnreachable } from './platform-errors.ts'
import { type AnswerSchema, readAnswer } from './read-answer.ts'

/** One request to a platform. */
export interface PlatformRequest<T> {
  readonly method: ExchangeRequest['method']
  readonly url: string
  readonly headers?: { readonly [name: string]: string }
  /** JSON, exactly as sent. */
  readonly body?: string
  /** Gets null for a 204. */
  readonly schema: AnswerSchema<T>
  /** Default: 30 s. */
  readonly timeoutMs?: number
  /** The limit for the response. Default: 32 MB, because a run contains the outputs of all its steps. */
  readonly maxBytes?: number
}

const TIMEOUT_MS = 30_000
const MAX_ANSWER_BYTES = 32 * 1_048_576

/** How long a request is repeated. */
const ANSWERED_WITHIN_MS = 600_000
/** After this many consecutive responses that no platform sends, the server counts as not being a platform. */
const MAX_FOREIGN_ANSWERS = 4

/**
 * Sends a request to a platform once.
 *
 * @throws {PlatformRefused} when the platform refuses it
 * @throws {PlatformUnreachable} when there is no response of a platform: it may have received the request
 * @throws the reason of the caller's signal
 */
export async function askPlatform<T>(connection: Connection, request: PlatformRequest<T>): Promise<T> {
  return (await askOnce(connection, request)).take()
}

/**
 * Repeats a request until there is a response. For requests that may arrive twice.
 *
 * @throws {PlatformRefused} when the platform refuses it
 * @throws {PlatformUnreachable} when there is no response for ten minutes, or the server is not a platform
 * @throws the reason of the caller's signal
 */
export async function askUntilAnswered<T>(connection: Connection, request: PlatformRequest<T>): Promise<T> {
  const { clock, signal } = connection
  const giveUpMs = clock.nowMs() + ANSWERED_WITHIN_MS
  let foreign = 0
  for (let repeats = 0; ; repeats += 1) {
    const reply = await askOnce(connection, request)
    foreign = reply.is === 'foreign' ? foreign + 1 : 0
    const isOver = clock.nowMs() >= giveUpMs || foreign === MAX_FOREIGN_ANSWERS
    if (reply.is === 'answered' || isOver) return reply.take()
    await sleep(clock, backOffMs(clock, reply.headers, repeats), signal)
    signal?.throwIfAborted()
  }
}

interface Reply<T> {
  /** foreign: the server is not a platform; unavailable: the same request may succeed later. */
  readonly is: 'answered' | 'foreign' | 'unavailable'
  readonly headers: Headers | undefined
  /** Returns the response's value, or throws its error. */
  readonly take: () => T
}

async function askOnce<T>(connection: Connection, request: PlatformRequest<T>): Promise<Reply<T>> {
  const { method, url, headers, body, schema } = request
  const { timeoutMs = TIMEOUT_MS, maxBytes = MAX_ANSWER_BYTES } = request
  let answer: WholeAnswer
  try {
    answer = await exchange(connection, {
      url,
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body }),
      timeoutMs,
      maxBytes,
    })
  } catch (cause) {
    if (!(cause instanceof AgentUnreachable)) throw cause
    const error = new PlatformUnreachable(`the platform: ${cause.message}`, { cause })
    return { is: 'unavailable', headers: undefined, take: () => raise(error) }
  }
  return read(answer, schema)
}

function read<T>({ status, headers, json, flaw }: WholeAnswer, schema: AnswerSchema<T>): Reply<T> {
  const isPassing = status === 429 || status >= 500
  const is = isPassing ? 'unavailable' : 'answered'
  const refused = readAnswer(failure, json)
  if (refused !== undefined && status >= 400)
    return { is, headers, take: () => raise(new PlatformRefused(status, refused, headers)) }
  const isSuccess = status >= 200 && status < 300
  const value = isSuccess ? readAnswer(schema, status === 204 ? null : json) : undefined
  if (value !== undefined) return { is: 'answered', headers, take: () => value }
  const what = flaw ?? `is HTTP ${status} and not as a platform says it`
  const error = new PlatformUnreachable(`what answers is no platform: its answer ${what}`, {
    flaw: status === 204 ? 'is empty' : (flaw ?? (isSuccess ? undefined : `is HTTP ${status}`)),
  })
  return { is: isPassing ? 'unavailable' : 'foreign', headers, take: () => raise(error) }
}

function raise(error: Error): never {
  throw error
}
