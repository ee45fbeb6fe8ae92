import { AgentUnreachable } from '@farebox/client/exchange/agent-errors'
import { connect } from '@farebox/client/exchange/client-options'
import { type Answer, exchange } from '@farebox/client/internal/exchange/exchange'
import { type AnswerSchema, readAnswer } from '@farebox/client/internal/exchange/read-answer'
import { failure, type Failure } from '@farebox/platform-api/errors'
import { isOnLoopback } from '../../keys/local-economy.ts'
import { CommandError } from '../../command-error.ts'
import { printable } from '../../terminal/text.ts'

/** A question to a platform. */
export interface PlatformQuestion<T> {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Beginning with a slash. */
  readonly path: string
  readonly body?: object
  /** Of a session. */
  readonly token?: string
  /** What the answer must be; undefined: 204, with nothing in it. */
  readonly schema: AnswerSchema<T>
}

/** Asks one platform. Rejects with a {@link PlatformRefusal} where it says no, else with a `CommandError`. */
export interface AskPlatform {
  <T>(question: PlatformQuestion<T>): Promise<T>
}

/** The platform's own refusal: it answered, and the answer is no. */
export class PlatformRefusal extends CommandError {
  /** HTTP status. */
  readonly status: number
  /** When it may be asked again, where it says so. */
  readonly retryAfterSeconds: number | undefined

  constructor(status: number, message: string, next: string, retryAfterSeconds?: number) {
    super(message, next)
    this.status = status
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** The platform looks at a stranger's server before it answers: at a slow one with patience. */
const TIMEOUT_MS = 75_000
const MAX_BYTES = 1_048_576

/** Accepts whatever a 204 has, which is nothing. */
export const NOTHING: AnswerSchema<undefined> = { safeParse: () => ({ success: true, data: undefined }) }

/** Makes the asker of the platform at a URL; nothing is sent yet. */
export function createAskPlatform(url: string, signal: AbortSignal): AskPlatform {
  const connection = connect({ signal })
  return async ({ schema, ...question }) => {
    const answer = await send(question)
    if (answer.status === 204) return readNothing(url, schema)
    if (answer.status < 200 || answer.status > 299) throw refusalOf(url, answer)
    const read = answer.flaw === undefined ? readAnswer(schema, answer.json) : undefined
    if (read === undefined) throw notAPlatform(url, answer.flaw)
    return read
  }

  async function send({
    method,
    path,
    body,
    token,
  }: Omit<PlatformQuestion<unknown>, 'schema'>): Promise<Answer> {
    const headers = {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    }
    try {
      return await exchange(connection, {
        url: url + path,
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        headers,
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_BYTES,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
    } catch (error) {
      if (error instanceof AgentUnreachable) throw unreachable(url, error)
      throw error
    }
  }
}

function readNothing<T>(url: string, schema: AnswerSchema<T>): T {
  const read = schema.safeParse(undefined)
  if (read.success) return read.data
  throw notAPlatform(url, 'is empty')
}

function refusalOf(url: string, { status, headers, json, flaw }: Answer): CommandError {
  const told = readAnswer(failure, json)
  if (told === undefined) return notAPlatform(url, flaw ?? `is HTTP ${status}`)
  const message = printable(told.error.slice(0, 1_000))
  const retryAfter = /^\d{1,6}$/.exec(headers.get('retry-after') ?? '')?.[0]
  const seconds = retryAfter === undefined ? undefined : Number(retryAfter)
  return new PlatformRefusal(status, message, adviceFor(told.error_type), seconds)
}

function adviceFor(errorType: Failure['error_type']): string {
  switch (errorType) {
    case 'validation':
    case 'agent':
      return 'the platform looked at the agent itself, from where it is; fix that and run the same command again'
    case 'rate_limited':
    case 'unavailable':
    case 'internal':
      return 'run the same command again in a minute; nothing is lost'
    default:
      return ''
  }
}

function unreachable(url: string, cause: AgentUnreachable): CommandError {
  const next = isOnLoopback(url)
    ? 'does it run? npm start of Farebox starts the local one'
    : 'is the URL right? --platform, or FAREBOX_PLATFORM'
  return new CommandError(`the platform at ${url} cannot be reached: ${printable(cause.message)}`, next, {
    cause,
  })
}

/** What answers there is something else. */
export function notAPlatform(url: string, flaw: string | undefined): CommandError {
  const reason =
    flaw === undefined
      ? 'does not answer as a platform does'
      : `is not a platform: its answer ${printable(flaw)}`
  return new CommandError(`${url} ${reason}`, 'is the URL right? --platform, or FAREBOX_PLATFORM')
}
