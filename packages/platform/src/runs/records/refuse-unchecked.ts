import { CheckFailed } from '../../checking/checker.ts'
import { Refusal } from '../../http/refusal.ts'

const AGAIN_SECONDS = 2

/** What a thread gave no verdict on is to be asked again: nothing was done. */
export function refuseUnchecked(error: unknown): never {
  if (!(error instanceof CheckFailed)) throw error
  throw new Refusal('unavailable', `flow: ${error.message}; nothing was changed, ask again`, {
    cause: error,
    retryAfterSeconds: AGAIN_SECONDS,
  })
}
