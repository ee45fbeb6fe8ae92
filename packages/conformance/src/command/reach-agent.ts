import { errorCode, whyUnreachable } from '../agent/exchange/why-unreachable.ts'
import { printable } from '../printable.ts'
import { CannotRun } from './command-world.ts'

/** The first answer may take longer (D33): a host may have put the agent to sleep. */
const WAKING_FACTOR = 2

/**
 * Finds out whether there is anybody at all, before hundreds of checks say the same. Whatever an HTTP server answers is
 * good enough; what is wrong with it the checks tell. Throws `CannotRun` that says in a sentence why nobody can be asked.
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
