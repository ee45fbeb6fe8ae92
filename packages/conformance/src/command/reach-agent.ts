import { errorCode, whyUnreachable } from '../agent/exchange/why-unreachable.ts'
import { printable } from '../printable.ts'
import { CannotRun } from './command-world.ts'

/** The first response may take longer (D33), because a host may have suspended the agent. */
const WAKING_FACTOR = 2

/**
 * Checks that a server responds at all, before hundreds of checks report the same. Any HTTP response suffices; the checks
 * report what is wrong with it. Throws `CannotRun` with a sentence that says why the server cannot be reached.
 */
export async function expectReachable(
  url: string,
  options: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<void> {
  const timeoutMs = WAKING_FACTOR * options.timeoutMs
  const timeout = AbortSignal.timeout(timeoutMs)
  let answer: Response
  try {
    const signal = AbortSignal.any([timeout, options.signal])
    answer = await fetch(`${url}/health`, { redirect: 'manual', signal })
    await answer.body?.cancel()
  } catch (error) {
    options.signal.throwIfAborted()
    const why = timeout.aborted
      ? `has not answered for ${timeoutMs / 1_000} s`
      : `cannot be reached: ${whyUnreachable(error)}`
    const next = /CERT|TLS|SSL|SIGNATURE|ISSUER/.test(errorCode(error))
      ? 'callers trust no other certificates than your machine does'
      : `is the URL right, and the agent running? curl ${url}/health`
    throw new CannotRun(`${url} ${why}`, next, { cause: error })
  }
  const location = answer.headers.get('location')
  if (answer.status >= 300 && answer.status <= 399 && location !== null)
    throw new CannotRun(
      `${url} redirects to ${printable(location.slice(0, 200))}, and callers follow no redirects`,
      'put the address where /health, /about and /execute answer themselves',
    )
}
