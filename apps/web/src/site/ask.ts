import type { Failure } from '@farebox/platform-api/errors'

/** What a question to the platform's API carries besides its path. */
export interface AskOptions {
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

/** Asks the API, and throws an {@link ApiFailure} for what is not 2xx. The type is the route's, of `platform-api`. */
export type Ask = <T>(path: string, options?: AskOptions) => Promise<T>

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

/** Makes the one way to the API out of a transport. An aborted question rejects with its signal's reason. */
export function createAsk(transport: Transport): Ask {
  return async function ask<T>(path: string, options: AskOptions = {}): Promise<T> {
    const answer = await transport(path, options).catch((error: unknown) => {
      if (options.signal?.aborted === true) throw error
      throw new ApiFailure('The platform did not respond.', { status: 0, type: 'no_answer' })
    })
    if (answer.status >= 200 && answer.status < 300) return answer.body as T
    throw failureOf(answer)
  }
}

function failureOf({ status, headers, body }: ApiAnswer): ApiFailure {
  const told = typeof body === 'object' && body !== null ? (body as Partial<Failure>) : {}
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN)
  return new ApiFailure(told.error ?? `The platform returned status ${status}.`, {
    status,
    type: told.error_type ?? 'internal',
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : undefined,
  })
}
