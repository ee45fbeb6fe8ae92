import { readAnswer } from '@farebox/client/internal/exchange/read-answer'
import type { Failure } from '@farebox/platform-api/errors'
import { answers, type AnswerOf } from './answers.ts'

/** The parts of a request to the platform's API besides its path. */
interface AskOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Sent as JSON. */
  readonly body?: unknown
  readonly headers?: { readonly [name: string]: string }
  readonly signal?: AbortSignal
}

/** One answer of the API, read completely. */
export interface ApiAnswer {
  readonly status: number
  readonly headers: { get(name: string): string | null }
  /** The parsed JSON; undefined when there is none. */
  readonly body: unknown
}

/** Sends a request to the API: in a browser over HTTP, on the server within its own process. Rejects without an answer. */
export type Transport = (path: string, options: AskOptions) => Promise<ApiAnswer>

/** Requests a path of the API. Throws an {@link ApiFailure} unless the answer is 2xx and matches the documented schema. */
export type Ask = <T>(path: string, answer: AnswerOf<T>, options?: AskOptions) => Promise<T>

/** The API refused a request, or did not answer. */
export class ApiFailure extends Error {
  /** HTTP status; 0 when no answer arrived, so that it is not known what the platform did. */
  readonly status: number
  readonly type: Failure['error_type'] | 'no_answer'
  readonly requestId: string | undefined
  /** The number of seconds after which to ask again. */
  readonly retryAfter: number | undefined

  constructor(
    message: string,
    facts: Pick<ApiFailure, 'status' | 'type'> & Partial<Pick<ApiFailure, 'requestId' | 'retryAfter'>>,
  ) {
    super(message)
    this.name = 'ApiFailure'
    this.status = facts.status
    this.type = facts.type
    this.requestId = facts.requestId
    this.retryAfter = facts.retryAfter
  }
}

/** A message for the page about a failed request. */
export function explainFailure(error: unknown): string {
  return error instanceof ApiFailure ? error.message : 'The platform did not respond.'
}

/** Creates the API access for a transport. An aborted request rejects with its signal's reason. */
export function createAsk(transport: Transport): Ask {
  return async function ask<T>(path: string, answer: AnswerOf<T>, options: AskOptions = {}): Promise<T> {
    const { method = 'GET', signal } = options
    const put = async (): Promise<ApiAnswer> => {
      // The schema is loaded before a change is sent, so that a secret shown only once is not created and then lost.
      if (method !== 'GET') await answer()
      const [given] = await Promise.all([transport(path, options), answer()])
      return given
    }
    const given = await put().catch((error: unknown) => {
      if (signal?.aborted === true) throw error
      throw new ApiFailure('The platform did not respond.', { status: 0, type: 'no_answer' })
    })
    if (given.status >= 200 && given.status < 300) return await takeAnswer(answer, given.body)
    throw await failureOf(given)
  }
}

/**
 * Parses an answer of the platform with its schema, without the fields that a newer platform adds.
 *
 * @throws {ApiFailure} naming the first field that does not match
 */
export async function takeAnswer<T>(answer: AnswerOf<T>, value: unknown): Promise<T> {
  const schema = await answer()
  const read = schema.safeParse(value)
  if (read.success) return read.data
  const taken = readAnswer(schema, value)
  if (taken !== undefined) return taken
  const wrong = read.error.issues.find(({ code }) => code !== 'unrecognized_keys')
  const field = wrong === undefined || wrong.path.length === 0 ? 'answer' : wrong.path.join('.')
  const message = `The platform sent an invalid response, so this page ignored it. The field “${field}” is not in the documented format: ${wrong?.message ?? 'it has unknown fields'}.`
  throw new ApiFailure(message, { status: 0, type: 'internal' })
}

async function failureOf({ status, headers, body }: ApiAnswer): Promise<ApiFailure> {
  const refused = await takeAnswer(answers.failure, body).catch(() => undefined)
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN)
  return new ApiFailure(refused?.error ?? `The platform returned status ${status}.`, {
    status,
    type: refused?.error_type ?? 'internal',
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : undefined,
  })
}
