import { ApiFailure } from '../../site/ask.ts'

/** Why a secret was not made or revoked, and what may be there all the same. */
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

/** The answer to a change of secrets; where there is none, it says so and rejects: something may be there all the same. */
export async function failing<T>(change: Promise<T>, failed: () => void): Promise<T> {
  try {
    return await change
  } catch (error) {
    failed()
    throw error
  }
}
