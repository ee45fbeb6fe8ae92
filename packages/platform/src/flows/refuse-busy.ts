import { CheckFailed } from '../checking/checker.ts'
import { Refusal } from '../http/refusal.ts'

/**
 * For what a thread does not answer.
 *
 * @throws {Refusal} `unavailable` where too much is going on there
 */
export function refuseBusy(cause: unknown): never {
  if (!(cause instanceof CheckFailed)) throw cause
  throw new Refusal('unavailable', 'too much is being checked just now; ask again', {
    cause,
    retryAfterSeconds: 2,
  })
}
