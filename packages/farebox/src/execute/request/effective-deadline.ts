import { SETTLE_MARGIN_SECONDS } from '@farebox/protocol/limits'
import type { Clock } from '@farebox/protocol/time/clock'
import type { AcceptedPayment } from './accept-payment.ts'
import type { Deadline } from '../../handler/enforce-deadline.ts'
import type { JobOrder } from './job-order.ts'

/**
 * The deadline that applies: the requested one, or the payment's end minus the time to settle, if that is earlier
 * (D17). In dev mode the payment's end is computed as if a payment had been signed on arrival, so that a hanging
 * handler is stopped there too.
 */
export function effectiveDeadline(
  clock: Clock,
  order: JobOrder,
  payment: AcceptedPayment | undefined,
): Deadline {
  const payableUntil =
    payment === undefined
      ? clock.nowMs() / 1_000 + order.capability.requirement.maxTimeoutSeconds
      : Number(payment.authorization.validBefore)
  return { atMs: Math.min(order.deadline, payableUntil - SETTLE_MARGIN_SECONDS) * 1_000 }
}
