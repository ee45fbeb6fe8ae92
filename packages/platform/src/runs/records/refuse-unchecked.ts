import { CheckFailed } from '../../checking/checker.ts'
import { Refusal } from '../../http/refusal.ts'

const AGAIN_SECONDS = 2

/** A check without a verdict is to be asked for again: nothing was done. */
export function refuseUnchecked(error: unknown): never {
  if (!(error instanceof CheckFailed)) throw error
  throw new Refusal('unavailable', `flow: ${error.message}; nothing was changed, ask again`, {
    cause: error,
    retryAfterSeconds: AGAIN_SECONDS,
  })
}

/** The same where nothing was to be changed, or all that was is written down already. */
export function refuseUnshown(error: unknown): never {
  if (!(error instanceof CheckFailed)) throw error
  throw new Refusal('unavailable', `the run cannot be shown now: ${error.message}; ask for it again`, {
    cause: error,
    retryAfterSeconds: AGAIN_SECONDS,
  })
}
