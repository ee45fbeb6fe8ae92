import type { ProvenPayment } from '@farebox/payments/check-payment'
import { isServiceError } from '@farebox/protocol/errors/service-errors'
import { acceptTerms, type AcceptedPayment } from './accept-terms.ts'
import type { ArrivedRequest } from './arrived-request.ts'
import { effectiveDeadline } from './effective-deadline.ts'
import { enforceDeadline, type Deadline } from './enforce-deadline.ts'
import type { JobOrder } from './job-order.ts'
import type { Service } from './service.ts'

/** What a run would be made for: a payment that pays for it and a deadline ahead, or why there can be none. */
export type Terms = AgreedTerms | RefusedTerms

export interface AgreedTerms {
  readonly kind: 'agreed'
  /** Undefined in dev mode. */
  readonly payment: AcceptedPayment | undefined
  readonly deadline: Deadline
}

export interface RefusedTerms {
  readonly kind: 'refused'
  /** A service error; to be thrown only where nothing of the job may still be charged. */
  readonly refusal: Error
}

/**
 * Judges the terms of a run: the payment pays for this job, now, and there is time left (D5, D14). A refusal is
 * returned and not thrown, because an earlier attempt with the same payment may be about to charge it: it is told
 * once the job has been looked up, later than it was judged (docs/decisions/0016).
 */
export function agreeOnTerms(
  service: Service,
  arrived: ArrivedRequest,
  order: JobOrder,
  proven: ProvenPayment | undefined,
): Terms {
  const { clock, payments } = service
  try {
    const payment = proven && payments && acceptTerms(service, payments, arrived, order, proven)
    const deadline = effectiveDeadline(clock, order, payment)
    enforceDeadline(clock, deadline)
    return { kind: 'agreed', payment, deadline }
  } catch (error) {
    if (!isServiceError(error)) throw error
    return { kind: 'refused', refusal: error }
  }
}
