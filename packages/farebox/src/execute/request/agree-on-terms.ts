import type { ProvenPayment } from '@farebox/payments/x402/verify-signature'
import { isServiceError } from '@farebox/protocol/errors/service-errors'
import { acceptTerms, mayHavePaid, type AcceptedPayment } from './accept-terms.ts'
import type { ArrivedRequest } from './arrived-request.ts'
import { byTheirClock, clockAhead, clockDoubt } from './clock-doubt.ts'
import { effectiveDeadline } from './effective-deadline.ts'
import { enforceDeadline, enforceLeastTime, type Deadline } from '../../handler/enforce-deadline.ts'
import type { JobOrder } from './job-order.ts'
import type { Service } from '../service/service.ts'

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
  /** The payment, where an earlier attempt at this job may have charged it: then nobody is refused before it was asked. */
  readonly mayHavePaid: ProvenPayment | undefined
}

/**
 * Judges the terms of a run: the payment pays for this job, now, and there is time left (D5, D14). A refusal is
 * returned and not thrown, because an earlier attempt with the same payment may be about to charge it: it is told
 * once the job has been looked up, later than it was judged (docs/decisions/0016).
 *
 * Where our clock and the facilitator's differ, both are asked: a run takes both, a refusal too, and between them the
 * refusal is a {@link clockDoubt} (docs/decisions/0047).
 */
export function agreeOnTerms(
  service: Service,
  arrived: ArrivedRequest,
  order: JobOrder,
  proven: ProvenPayment | undefined,
): Terms {
  const ours = agreeByClock(service, arrived, order, proven)
  const aheadSeconds = clockAhead(service)
  if (aheadSeconds === 0) return ours
  const theirs = agreeByClock(byTheirClock(service, aheadSeconds), arrived, order, proven)
  if (ours.kind === theirs.kind) return ours
  return {
    kind: 'refused',
    refusal: clockDoubt(aheadSeconds),
    mayHavePaid: payableOf(ours) ?? payableOf(theirs),
  }
}

/** What a request is refused with once it was asked about: the facilitator's answer may have shown whose clock is off. */
export function refusalNow(
  service: Service,
  arrived: ArrivedRequest,
  order: JobOrder,
  proven: ProvenPayment | undefined,
  { refusal }: RefusedTerms,
): Error {
  const now = agreeOnTerms(service, arrived, order, proven)
  return now.kind === 'refused' ? now.refusal : refusal
}

function agreeByClock(
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
    enforceLeastTime(clock, deadline, service.leastDeadlineSeconds)
    return { kind: 'agreed', payment, deadline }
  } catch (error) {
    if (!isServiceError(error)) throw error
    const isOurs = proven && payments && mayHavePaid(service, payments, arrived, order, proven)
    return { kind: 'refused', refusal: error, mayHavePaid: isOurs === true ? proven : undefined }
  }
}

/** The payment, where an attempt at this job may have charged it. */
export function payableOf(terms: Terms): ProvenPayment | undefined {
  return terms.kind === 'agreed' ? terms.payment : terms.mayHavePaid
}
