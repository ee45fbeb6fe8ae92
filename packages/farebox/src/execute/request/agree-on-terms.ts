import type { ProvenPayment } from '@farebox/payments/x402/verify-signature'
import { isServiceError } from '@farebox/protocol/errors/service-errors'
import { acceptPayment, mayHavePaid, type AcceptedPayment } from './accept-payment.ts'
import type { ArrivedRequest } from './arrived-request.ts'
import { byTheirClock, clockAhead, clockDoubt } from './clock-doubt.ts'
import { effectiveDeadline } from './effective-deadline.ts'
import { enforceDeadline, enforceLeastTime, type Deadline } from '../../handler/enforce-deadline.ts'
import type { JobOrder } from './job-order.ts'
import type { Payments, Service } from '../service/service.ts'

/** The payment that a request offers for a run, with its signer proven; in dev mode nothing. */
export interface Offer<P extends AcceptedPayment | undefined = AcceptedPayment | undefined> {
  readonly proven: ProvenPayment | undefined
  /** Throws a `PaymentError` when the payment does not pay for this job now, by the clock of this service. */
  accept(service: Service): P
  /** Whether an earlier attempt at this job may have charged the payment, although it is refused now. */
  mayHavePaid(service: Service): boolean
}

/** Dev mode: no payment is required. */
export const NOTHING_OFFERED: Offer<undefined> = {
  proven: undefined,
  accept: () => undefined,
  mayHavePaid: () => false,
}

/** A payment, for one job. */
export function offerPayment(
  payments: Payments,
  arrived: ArrivedRequest,
  order: JobOrder,
  proven: ProvenPayment,
): Offer<AcceptedPayment> {
  return {
    proven,
    accept: service => acceptPayment(service, payments, arrived, order, proven),
    mayHavePaid: service => mayHavePaid(service, payments, arrived, order, proven),
  }
}

/** The terms of a run: a payment and a deadline, or the reason for a refusal. */
export type PaymentTerms<P extends AcceptedPayment | undefined = AcceptedPayment | undefined> =
  | AgreedTerms<P>
  | RefusedTerms

export interface AgreedTerms<P extends AcceptedPayment | undefined = AcceptedPayment | undefined> {
  readonly kind: 'agreed'
  /** Undefined in dev mode. */
  readonly payment: P
  readonly deadline: Deadline
}

export interface RefusedTerms {
  readonly kind: 'refused'
  /** A service error; throw it only when no attempt at the job can charge any more. */
  readonly refusal: Error
  /**
   * The payment, if an earlier attempt at this job may have charged it: the facilitator is then asked before the
   * refusal.
   */
  readonly mayHavePaid: ProvenPayment | undefined
}

/**
 * Checks the terms of a run: the payment pays for this job now, and there is time left (D5, D14). A refusal is
 * returned, not thrown, because an earlier attempt with the same payment may be about to charge it: the refusal is sent
 * only after the job has been looked up (decision 16).
 *
 * When the agent's clock and the facilitator's differ, the terms are checked by both: a run requires that both agree,
 * and so does a refusal; otherwise the refusal is a {@link clockDoubt} (decision 47).
 */
export function agreeOnTerms<P extends AcceptedPayment | undefined>(
  service: Service,
  order: JobOrder,
  offer: Offer<P>,
): PaymentTerms<P> {
  const ours = agreeByClock(service, order, offer)
  const aheadSeconds = clockAhead(service)
  if (aheadSeconds === 0) return ours
  const theirs = agreeByClock(byTheirClock(service, aheadSeconds), order, offer)
  if (ours.kind === theirs.kind) return ours
  return {
    kind: 'refused',
    refusal: clockDoubt(aheadSeconds),
    mayHavePaid: payableOf(ours) ?? payableOf(theirs),
  }
}

/** The refusal after the facilitator was asked about the payment: its answer may have shown a clock difference. */
export function refusalNow(
  service: Service,
  order: JobOrder,
  offer: Offer,
  { refusal }: RefusedTerms,
): Error {
  const now = agreeOnTerms(service, order, offer)
  return now.kind === 'refused' ? now.refusal : refusal
}

function agreeByClock<P extends AcceptedPayment | undefined>(
  service: Service,
  order: JobOrder,
  offer: Offer<P>,
): PaymentTerms<P> {
  const { clock } = service
  try {
    const payment = offer.accept(service)
    const deadline = effectiveDeadline(clock, order, payment)
    enforceDeadline(clock, deadline)
    enforceLeastTime(clock, deadline, service.leastDeadlineSeconds)
    return { kind: 'agreed', payment, deadline }
  } catch (error) {
    if (!isServiceError(error)) throw error
    return {
      kind: 'refused',
      refusal: error,
      mayHavePaid: offer.mayHavePaid(service) ? offer.proven : undefined,
    }
  }
}

/** The payment, if an attempt at this job may have charged it. */
export function payableOf(terms: PaymentTerms): ProvenPayment | undefined {
  return terms.kind === 'agreed' ? terms.payment : terms.mayHavePaid
}
