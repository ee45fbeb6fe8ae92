import { failureBody, type ErrorType } from '@farebox/protocol/errors/error-types'

/**
 * A complete HTTP response, independent of its transport: a socket, or a `Response` for programs that embed an agent.
 */
export interface Answer {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  /** The body as UTF-8 JSON, exactly as sent; empty for responses without a body. */
  readonly body: string | Buffer
  /** True when the connection must not be reused for another request. */
  readonly close?: boolean
  /** The length of `body` in bytes, precomputed for responses that are sent repeatedly. */
  readonly bodyBytes?: number
}

/** Responses of `/execute` must not be cached (PAY-36: a shared cache once served paid responses to other callers). */
export const NO_STORE = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
} as const

/** A failure after which the connection is closed. */
export function lastFailure(...words: Parameters<typeof failureAnswer>): Answer {
  return { ...failureAnswer(...words), close: true }
}

/** The response for a job that was not started, or was given up, during a shutdown (D32). */
export function shuttingDown(): Answer {
  return lastFailure('internal', 503, 'shutting down, not charged', { 'retry-after': '5' })
}

/** A response of the interface's error table (D15); `status` may differ from the default status of the error type. */
export function failureAnswer(
  errorType: ErrorType,
  status: number,
  message: string,
  headers: { readonly [name: string]: string } = {},
): Answer {
  return {
    status,
    headers: { ...NO_STORE, ...headers },
    body: JSON.stringify(failureBody(errorType, message)),
  }
}
