import { CheckFailed } from '../checking/checker.ts'
import { Refusal } from '../http/refusal.ts'

/**
 * Rethrows a failed check as a refusal; for use in `catch`.
 *
 * @throws {Refusal} `unavailable` when the checker gave no result
 */
export function refuseBusy(cause: unknown): never {
  if (!(cause instanceof CheckFailed)) throw cause
  throw new Refusal('unavailable', 'too much is being checked just now; ask again', {
    cause,
    retryAfterSeconds: 2,
  })
}
