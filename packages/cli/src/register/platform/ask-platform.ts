import { printable } from '@farebox/conformance/internal/printable'
import { AgentUnreachable } from '@farebox/client/exchange/agent-errors'
import { connectionOf } from '@farebox/client/exchange/client-options'
import { askPlatform, type PlatformRequest } from '@farebox/client/internal/exchange/ask-platform'
import { PlatformRefused, PlatformUnreachable } from '@farebox/client/exchange/platform-errors'
import type { Failure } from '@farebox/platform-api/errors'
import { isOnLoopback } from '../../keys/local-economy.ts'
import { CommandError } from '../../command-error.ts'

export interface PlatformQuestion<T> extends Pick<PlatformRequest<T>, 'schema'> {
  /** Default: GET, or POST when there is a body. */
  readonly method?: PlatformRequest<T>['method']
  /** Begins with a slash. */
  readonly path: string
  readonly body?: object
  readonly token?: string
}

/**
 * Sends a request to one platform. Rejects with a {@link PlatformRefusal} when the platform refuses, else with a
 * `CommandError`.
 */
export interface AskPlatform {
  <T>(question: PlatformQuestion<T>): Promise<T>
}

/** The platform responded with a refusal. */
export class PlatformRefusal extends CommandError {
  /** HTTP status. */
  readonly status: number
  readonly retryAfterSeconds: number | undefined

  constructor(refused: PlatformRefused) {
    super(printable(refused.reason.slice(0, 1_000)), adviceFor(refused.errorType))
    this.status = refused.httpStatus
    this.retryAfterSeconds = refused.retryAfterSeconds
  }
}

/**
 * Resolves to the result of the request, or to `undefined` when the platform refuses.
 *
 * @param statuses the only statuses that count as a refusal; by default all
 */
export async function unlessPlatformRefused<T>(
  asked: Promise<T>,
  statuses?: readonly number[],
): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof PlatformRefusal && (statuses?.includes(error.status) ?? true)) return undefined
    throw error
  }
}

/** A platform probes another server before it responds, and that server may be slow. */
const LIMITS = { timeoutMs: 75_000, maxBytes: 1_048_576 } as const

/** Creates the request function for the platform at a URL; nothing is sent yet. */
export function createAskPlatform(url: string, signal: AbortSignal): AskPlatform {
  const connection = connectionOf({ signal })
  return async ({ method, path, body, token, schema }) => {
    try {
      return await askPlatform(connection, {
        url: url + path,
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
        ...(body !== undefined && { body: JSON.stringify(body) }),
        schema,
        ...LIMITS,
      })
    } catch (error) {
      if (error instanceof PlatformRefused) throw new PlatformRefusal(error)
      if (!(error instanceof PlatformUnreachable)) throw error
      throw error.cause instanceof AgentUnreachable
        ? unreachable(url, error.cause)
        : notAPlatform(url, error.flaw)
    }
  }
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

export function notAPlatform(url: string, flaw: string | undefined): CommandError {
  const reason =
    flaw === undefined
      ? 'does not answer as a platform does'
      : `is not a platform: its answer ${printable(flaw)}`
  return new CommandError(`${url} ${reason}`, 'is the URL right? --platform, or FAREBOX_PLATFORM')
}
