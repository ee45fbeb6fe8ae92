/** What the platform's API refuses, by kind; the status follows from it. */
export const REFUSAL_STATUS = {
  validation: 400,
  unauthorized: 401,
  payment: 402,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  rate_limited: 429,
  internal: 500,
  agent: 502,
  unavailable: 503,
} as const

/** A kind of refusal: the `error_type` of the envelope. */
export type RefusalType = keyof typeof REFUSAL_STATUS

/**
 * Thrown by what a route calls, where the caller is to get: `{status: "failed", error_type, error}`. The message
 * is for the caller; what only the operator should know goes to the log as the cause.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly type: RefusalType
  /** Seconds after which asking again makes sense. */
  readonly retryAfterSeconds: number | undefined
  /** What the caller gets besides, in fields of the envelope; a route that has any documents them. */
  readonly details: { readonly [field: string]: unknown } | undefined

  constructor(
    type: RefusalType,
    message: string,
    options: {
      readonly cause?: unknown
      readonly retryAfterSeconds?: number
      readonly details?: { readonly [field: string]: unknown }
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.type = type
    this.retryAfterSeconds = options.retryAfterSeconds
    this.details = options.details
  }
}
