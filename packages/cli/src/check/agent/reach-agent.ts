import { printable } from '@farebox/conformance/internal/printable'
import { canParseUrl } from '@farebox/protocol/internal/can-parse-url'
import { errorCode, whyUnreachable } from '@farebox/conformance/agent'
import { createClockMeter, NAMED_SKEW_SECONDS, type ReportedTime } from '@farebox/payments/http/clock-meter'
import { CommandError } from '../../command-error.ts'
import { isOnLoopback } from '../../keys/local-economy.ts'

/** The first response may take longer (D33), because a host may have suspended the agent. */
const WAKING_FACTOR = 2

/**
 * Checks that a server responds at all, before hundreds of checks report the same. Any HTTP response suffices; the checks
 * report what is wrong with it. Resolves to the time in the response's `Date` header, if it has one.
 */
export async function reachAgent(
  url: string,
  options: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<ReportedTime | undefined> {
  const timeoutMs = WAKING_FACTOR * options.timeoutMs
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    const signal = AbortSignal.any([timeout, options.signal])
    const sentMs = Date.now()
    const response = await fetch(`${url}/health`, { redirect: 'manual', signal })
    const told = toldTime(response.headers, sentMs, Date.now())
    await response.body?.cancel()
    refuseRedirect(url, response)
    return told
  } catch (error) {
    options.signal.throwIfAborted()
    if (error instanceof CommandError) throw error
    if (timeout.aborted) {
      throw new CommandError(`${url} has not answered for ${timeoutMs / 1_000} s`, adviceFor(url), {
        cause: error,
      })
    }
    throw new CommandError(`${url} cannot be reached: ${whyUnreachable(error)}`, adviceFor(url, error), {
      cause: error,
    })
  }
}

/** Callers do not follow redirects (D37): the agent must be registered under the URL at which it responds itself. */
function refuseRedirect(url: string, { status, headers }: Response): void {
  const location = headers.get('location')
  if (status < 300 || status > 399 || location === null) return
  const there = canParseUrl(location, `${url}/health`) ? new URL(location, `${url}/health`) : undefined
  const base = there?.href.replace(/\/health\/?(?:[?#].*)?$/, '')
  throw new CommandError(
    `${url} redirects to ${printable(location.slice(0, 200))}, and callers follow no redirects`,
    base === undefined || base === url
      ? 'answer /health, /about and /execute themselves'
      : `check where it leads: farebox check ${printable(base.slice(0, 200))}`,
  )
}

function adviceFor(url: string, error?: unknown): string {
  if (/CERT|TLS|SSL|SIGNATURE|ISSUER/.test(errorCode(error))) {
    return 'callers and the platform trust no other certificates than your machine does'
  }
  return isOnLoopback(url)
    ? 'is it running? farebox dev starts it'
    : `is the URL right, and the agent awake? curl ${url}/health`
}

/**
 * Returns by how many seconds this machine's clock is ahead of an agent's, based on the `Date` of its responses; negative
 * when it is behind, 0 when the two may agree.
 */
export function clockAheadOf(reported: readonly ReportedTime[]): number {
  const meter = createClockMeter()
  for (const one of reported) meter.hear(one)
  const aheadSeconds = meter.aheadSeconds()
  return Math.abs(aheadSeconds) >= NAMED_SKEW_SECONDS ? aheadSeconds : 0
}

/** Reads the time in a response; `undefined` when it has none. */
export function toldTime(headers: Headers, sentMs: number, receivedMs: number): ReportedTime | undefined {
  const theirsMs = Date.parse(headers.get('date') ?? '')
  return Number.isFinite(theirsMs) ? { theirsMs, sentMs, receivedMs } : undefined
}
