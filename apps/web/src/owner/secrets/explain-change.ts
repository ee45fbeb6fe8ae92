import { ApiFailure } from '../../site/ask.ts'

/** Why a secret was not made or revoked, and what may be there all the same. */
export function explainChange(error: unknown, change: 'made' | 'revoked'): string {
  if (error instanceof ApiFailure && error.status !== 0) {
    const wait = error.retryAfter === undefined ? '' : ` Try again in ${error.retryAfter} s.`
    return `Not ${change}. ${error.message}.${wait}`.replace('..', '.')
  }
  return change === 'made'
    ? 'The platform did not answer. It may have made a secret that nobody has seen: if the list shows one, revoke it.'
    : 'The platform did not answer. The secret may be revoked. Check the list.'
}
