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
  /** JSON, as it is sent. */
  readonly body?: string
  /** Of a 204 it is given null. */
  readonly schema: AnswerSchema<T>
  /** Default: 30 s. */
  readonly timeoutMs?: number
  /** Of the answer. Default: 32 MB, a run has the outputs of all its steps. */
  readonly maxBytes?: number
}

const TIMEOUT_MS = 30_000
const MAX_ANSWER_BYTES = 32 * 1_048_576

/** For so long the same is asked again. */
const ANSWERED_WITHIN_MS = 600_000
/** So many answers in a row that no platform gives: what answers will not become one. */
const MAX_FOREIGN_ANSWERS = 4

/**
 * Asks a platform once.
 *
 * @throws {PlatformRefused} when it says no
 * @throws {PlatformUnreachable} when no answer of a platform came: the request may have arrived or not
 * @throws the reason of the caller's signal
 */
export async function askPlatform<T>(connection: Connection, request: PlatformRequest<T>): Promise<T> {
  return (await askOnce(connection, request)).take()
}

/**
 * Asks until there is an answer. For what may arrive twice.
 *
 * @throws {PlatformRefused} when the platform says no
 * @throws {PlatformUnreachable} when no answer came for ten minutes, or something else than a platform answers
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
  /** foreign: what answered is no platform; unavailable: the same may be answered later. */
  readonly is: 'answered' | 'foreign' | 'unavailable'
  readonly headers: Headers | undefined
  /** What it says, or throws. */
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
