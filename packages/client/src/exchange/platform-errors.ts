import type { Failure } from '@farebox/platform-api/errors'
import { foreignText } from './foreign-text.ts'

/**
 * The platform refused the request.
 *
 * @example
 * ```ts
 * import { pauseRun } from '@farebox/client/control-run'
 * import { PlatformRefused, PlatformUnreachable } from '@farebox/client/exchange/platform-errors'
 * import type { RunHandle } from '@farebox/client/run/run-record'
 *
 * export async function pause(handle: RunHandle): Promise<string> {
 *   try {
 *     return (await pauseRun(handle)).status
 *   } catch (error) {
 *     if (error instanceof PlatformRefused) return `${error.errorType}: ${error.message}`
 *     if (error instanceof PlatformUnreachable) return 'it does not answer'
 *     throw error
 *   }
 * }
 * ```
 */
export class PlatformRefused extends Error {
  override readonly name = 'PlatformRefused'
  readonly httpStatus: number
  readonly errorType: Failure['error_type']
  /** The platform's own message, unshortened: it may contain control characters. */
  readonly reason: string
  /** Seconds until the request may be repeated, if the platform sent them. */
  readonly retryAfterSeconds: number | undefined

  constructor(httpStatus: number, { error_type, error }: Failure, headers?: Headers) {
    super(foreignText(error))
    this.httpStatus = httpStatus
    this.errorType = error_type
    this.reason = error
    const seconds = /^\d{1,6}$/.exec(headers?.get('retry-after') ?? '')?.[0]
    this.retryAfterSeconds = seconds === undefined ? undefined : Number(seconds)
  }
}

/** There was no response of a platform: no response at all, or one that no platform sends. */
export class PlatformUnreachable extends Error {
  override readonly name = 'PlatformUnreachable'
  /** What is wrong with the response, as the end of a sentence about "its answer"; undefined when there was no response. */
  readonly flaw: string | undefined

  constructor(
    message: string,
    { flaw, ...options }: ErrorOptions & { readonly flaw?: string | undefined } = {},
  ) {
    super(message, options)
    this.flaw = flaw
  }
}
