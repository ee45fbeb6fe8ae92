import { failureBody, type ErrorType } from '@farebox/protocol/errors/error-types'

/** A whole HTTP answer, whatever carries it: a socket, or a `Response` for those who embed an agent. */
export interface Answer {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  /** UTF-8 JSON, exactly as sent; empty for answers without a body. */
  readonly body: string | Buffer
  /** The connection cannot be trusted with another request. */
  readonly close?: boolean
  /** For answers given again and again: the bytes of `body`, counted once. */
  readonly bodyBytes?: number
}

/** Every answer of `/execute` is for its caller alone (PAY-36: a shared cache once served paid answers to all). */
export const NO_STORE = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
} as const

/** The last answer on its connection. */
export function lastFailure(...words: Parameters<typeof failureAnswer>): Answer {
  return { ...failureAnswer(...words), close: true }
}

/** The answer to a job that was not begun, or given up, while stopping (D32). */
export function shuttingDown(): Answer {
  return lastFailure('internal', 503, 'shutting down, not charged', { 'retry-after': '5' })
}

/** An answer of the interface's error table (D15). `status` where it is not the type's own. */
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
