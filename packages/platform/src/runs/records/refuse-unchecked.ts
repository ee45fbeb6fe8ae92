import { CheckFailed } from '../../checking/checker.ts'
import { Refusal } from '../../http/refusal.ts'

const AGAIN_SECONDS = 2

/**
 * Converts a check without a verdict to a {@link Refusal} that asks the caller to repeat the request: nothing was
 * changed. Other errors are thrown again.
 */
export function refuseUnchecked(error: unknown): never {
  if (!(error instanceof CheckFailed)) throw error
  throw new Refusal('unavailable', `flow: ${error.message}; nothing was changed, ask again`, {
    cause: error,
    retryAfterSeconds: AGAIN_SECONDS,
  })
}

/** Like {@link refuseUnchecked}, for requests that only read, or whose changes are already written. */
export function refuseUnshown(error: unknown): never {
  if (!(error instanceof CheckFailed)) throw error
  throw new Refusal('unavailable', `the run cannot be shown now: ${error.message}; ask for it again`, {
    cause: error,
    retryAfterSeconds: AGAIN_SECONDS,
  })
}
