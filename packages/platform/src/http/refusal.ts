/** The refusal types of the platform's API, with their HTTP status. */
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

/** A refusal type: the `error_type` of the envelope. */
export type RefusalType = keyof typeof REFUSAL_STATUS

/**
 * An error that is answered as `{status: "failed", error_type, error}`. The message is for the caller; details for the
 * operator go into the cause, which is logged.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly type: RefusalType
  /** Seconds after which a retry makes sense; `undefined` when there is no such time. */
  readonly retryAfterSeconds: number | undefined
  /** Additional fields of the envelope; a route that uses them documents them. */
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
