import { ApiFailure } from '../../site/ask.ts'

/** Explains why a secret was not created or revoked, and what may have happened nevertheless. */
export function explainSecretChange(error: unknown, change: 'made' | 'revoked'): string {
  if (error instanceof ApiFailure && error.status !== 0) {
    const wait = error.retryAfter === undefined ? '' : ` Try again in ${error.retryAfter} s.`
    const done = change === 'made' ? 'created' : 'revoked'
    return `The secret was not ${done}. ${error.message}.${wait}`.replace('..', '.')
  }
  return change === 'made'
    ? 'The platform did not respond. It may have created a secret that was never shown. If the list shows a new secret, revoke it.'
    : 'The platform did not respond. The secret may or may not have been revoked. Check the list.'
}

/**
 * Passes the result of a change of secrets on. Calls `failed` before rejecting, because the platform may have made the
 * change.
 */
export async function failing<T>(change: Promise<T>, failed: () => void): Promise<T> {
  try {
    return await change
  } catch (error) {
    failed()
    throw error
  }
}
