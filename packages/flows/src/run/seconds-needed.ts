import { MAX_TIMEOUT_MARGIN_SECONDS } from '@farebox/protocol/limits'
import type { JobStep } from '../document/flow.ts'

/** How long a payment must still be valid when its order is sent, at the first attempt and at each retry; in seconds. */
export function secondsNeeded(step: JobStep): number {
  return step.pinned.max_deadline_seconds + MAX_TIMEOUT_MARGIN_SECONDS
}
