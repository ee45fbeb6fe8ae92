import type { Failure } from '@farebox/platform-api/errors'
import { foreignText } from './foreign-text.ts'

/**
 * The platform answered, and the answer is no.
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
  /** The platform's own sentence, whole: it may hold control characters. */
  readonly reason: string
  /** When it may be asked again, where it says so in seconds. */
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

/** No answer of a platform came: nothing at all, or something that a platform does not say. */
export class PlatformUnreachable extends Error {
  override readonly name = 'PlatformUnreachable'
  /** What is wrong with the answer of something else, in words that follow "its answer"; undefined where none came. */
  readonly flaw: string | undefined

  constructor(
    message: string,
    { flaw, ...options }: ErrorOptions & { readonly flaw?: string | undefined } = {},
  ) {
    super(message, options)
    this.flaw = flaw
  }
}
