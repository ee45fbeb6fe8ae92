import { DeadlineError, ValidationError } from '@farebox/protocol/errors/service-errors'
import type { Deadline } from '../../handler/enforce-deadline.ts'
import { PaymentRejected, VerifyOverran } from '../payment/reserve-payment.ts'
import type { AcceptedPayment } from '../request/accept-payment.ts'
import { clockAhead } from '../request/clock-doubt.ts'
import type { Service } from '../service/service.ts'

/**
 * An attempt that came to nothing by what its payer sent, after the facilitator was asked about it. Where the handler had
 * less time than the agent declares, and used it up, that was the payer's choice; with more time it is the agent's own
 * slowness.
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
  // Where clocks differ, lateness is nobody's choice.
  const isLate = error instanceof DeadlineError && clockAhead(service) === 0
  if (!isRejected && !isLate && !(error instanceof ValidationError)) return
  admission.failed(payer)
  const isShort = deadline.atMs - arrivedMs < declaration.max_deadline_seconds * 1_000
  if (isLate && isShort && !(error instanceof VerifyOverran)) admission.ranOut(payer)
}
