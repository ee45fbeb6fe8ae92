import { MAX_TIMEOUT_MARGIN_SECONDS } from '@farebox/protocol/limits'
import type { JobStep } from '../document/flow.ts'

/** The seconds a payment must still be good for when its order leaves, the first time and at each retry. */
export function secondsNeeded(step: JobStep): number {
  return step.pinned.max_deadline_seconds + MAX_TIMEOUT_MARGIN_SECONDS
}
