import { readAnswer } from '@farebox/client/internal/exchange/read-answer'
import type { Failure } from '@farebox/platform-api/errors'
import { answers, type AnswerOf } from './answers.ts'

/** The parts of a question to the platform's API besides its path. */
interface AskOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Sent as JSON. */
  readonly body?: unknown
  readonly headers?: { readonly [name: string]: string }
  readonly signal?: AbortSignal
}

/** One answer of the API, read whole. */
export interface ApiAnswer {
  readonly status: number
  readonly headers: { get(name: string): string | null }
  /** The parsed JSON; undefined where there is none. */
  readonly body: unknown
}

/** Puts a request to the API: in a browser over HTTP, on the server in its own process. Rejects where there is no answer. */
export type Transport = (path: string, options: AskOptions) => Promise<ApiAnswer>

/** Asks the API, and throws an {@link ApiFailure} for what is not 2xx or has another form than its route documents. */
export type Ask = <T>(path: string, answer: AnswerOf<T>, options?: AskOptions) => Promise<T>

/** The API refused, or did not answer. */
export class ApiFailure extends Error {
  /** HTTP status; 0: no answer came, so nobody knows what the platform did. */
  readonly status: number
  readonly type: Failure['error_type'] | 'no_answer'
  readonly requestId: string | undefined
  /** When to ask again, in seconds. */
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

/** The words of a page for a question that failed. */
export function explainFailure(error: unknown): string {
  return error instanceof ApiFailure ? error.message : 'The platform did not respond.'
}

/** Makes the one way to the API out of a transport. An aborted question rejects with its signal's reason. */
export function createAsk(transport: Transport): Ask {
  return async function ask<T>(path: string, answer: AnswerOf<T>, options: AskOptions = {}): Promise<T> {
    const { method = 'GET', signal } = options
    const put = async (): Promise<ApiAnswer> => {
      // A secret that is shown once is not made before its answer can be read.
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
 * The answer of the platform as its schema has it, without the fields that a newer platform adds.
 *
 * @throws {ApiFailure} naming the first field of another form
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
