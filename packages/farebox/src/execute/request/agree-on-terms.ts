import type { ProvenPayment } from '@farebox/payments/x402/verify-signature'
import { isServiceError } from '@farebox/protocol/errors/service-errors'
import { acceptPayment, mayHavePaid, type AcceptedPayment } from './accept-payment.ts'
import type { ArrivedRequest } from './arrived-request.ts'
import { byTheirClock, clockAhead, clockDoubt } from './clock-doubt.ts'
import { effectiveDeadline } from './effective-deadline.ts'
import { enforceDeadline, enforceLeastTime, type Deadline } from '../../handler/enforce-deadline.ts'
import type { JobOrder } from './job-order.ts'
import type { Payments, Service } from '../service/service.ts'

/** What a request offers for a run: a payment whose signer is proven, or, in dev mode, nothing. */
export interface Offer<P extends AcceptedPayment | undefined = AcceptedPayment | undefined> {
  readonly proven: ProvenPayment | undefined
  /** Throws a `PaymentError` where it does not pay for this job now, by the clock of this service. */
  accept(service: Service): P
  /** Whether an earlier attempt at this job may have charged it, although it is refused now. */
  mayHavePaid(service: Service): boolean
}

/** Dev mode: nothing is asked for. */
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

/** What a run would be made for: a payment that pays for it and a deadline ahead, or why there can be none. */
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
  /** A service error; to be thrown only where nothing of the job may still be charged. */
  readonly refusal: Error
  /** The payment, where an earlier attempt at this job may have charged it: then nobody is refused before it was asked. */
  readonly mayHavePaid: ProvenPayment | undefined
}

/**
 * Checks the terms of a run: the payment pays for this job, now, and there is time left (D5, D14). A refusal is
 * returned and not thrown, because an earlier attempt with the same payment may be about to charge it: it is answered
 * once the job has been looked up (decision 16).
 *
 * Where our clock and the facilitator's differ, both are asked: a run takes both, a refusal too, and between them the
 * refusal is a {@link clockDoubt} (decision 47).
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

/** What a request is refused with once it was asked about: the facilitator's answer may have shown whose clock is off. */
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

/** The payment, where an attempt at this job may have charged it. */
export function payableOf(terms: PaymentTerms): ProvenPayment | undefined {
  return terms.kind === 'agreed' ? terms.payment : terms.mayHavePaid
}
