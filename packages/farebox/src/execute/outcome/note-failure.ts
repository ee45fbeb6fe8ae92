import { DeadlineError, ValidationError } from '@farebox/protocol/errors/service-errors'
import type { Deadline } from '../../handler/enforce-deadline.ts'
import { PaymentRejected, VerifyOverran } from '../payment/reserve-payment.ts'
import type { AcceptedPayment } from '../request/accept-payment.ts'
import { clockAhead } from '../request/clock-doubt.ts'
import type { Service } from '../service/service.ts'

/**
 * Counts a failed attempt against its payer when the payer caused it: the facilitator rejected the payment, the input
 * was invalid, or the deadline passed. A deadline shorter than the agent declares was the payer's choice; with more
 * time, the agent itself was too slow.
 */
export function noteFailure(
  service: Service,
  { payer }: AcceptedPayment,
  deadline: Deadline,
  arrivedMs: number,
  error: unknown,
): void {
  const isRejected = error instanceof PaymentRejected && error.charge.kind === 'none'
  const { admission, declaration } = service
  // When the clocks differ, a missed deadline is not the payer's fault.
  const isLate = error instanceof DeadlineError && clockAhead(service) === 0
  if (!isRejected && !isLate && !(error instanceof ValidationError)) return
  admission.failed(payer)
  const isShort = deadline.atMs - arrivedMs < declaration.max_deadline_seconds * 1_000
  if (isLate && isShort && !(error instanceof VerifyOverran)) admission.ranOut(payer)
}
