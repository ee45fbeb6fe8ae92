import { DeadlineError } from '@farebox/protocol/errors/service-errors'
import type { Answer } from '../answer/answer.ts'
import { describeThrown } from '../handler/describe-thrown.ts'
import { HoldLost, type HeldJob } from '../jobs/renew-leases.ts'
import { countAnswer } from './count-answer.ts'
import { answerPending } from './outcome/answer-job.ts'
import { orInDoubt, OutcomeInDoubt } from './outcome/outcome-in-doubt.ts'
import { refuseToWait, refuseUnlessCharged } from './repeat/deliver-charged.ts'
import { findRepeat, JoinedTooShort } from './repeat/find-repeat.ts'
import type { AcceptedPayment } from './request/accept-payment.ts'
import {
  agreeOnTerms,
  payableOf,
  refusalNow,
  type AgreedTerms,
  type Offer,
} from './request/agree-on-terms.ts'
import type { ArrivedRequest } from './request/arrived-request.ts'
import { orClockDoubt } from './request/clock-doubt.ts'
import type { JobOrder } from './request/job-order.ts'
import { claimJob } from './run/claim-job.ts'
import type { Service } from './service/service.ts'

/**
 * Steps 6 to 9 of ARCHITECTURE.md: a repeat is answered from what is stored, a new job is claimed and run; whoever loses
 * a claim looks again. Throws where the request is refused.
 */
export async function serveOrder<P extends AcceptedPayment | undefined>(
  service: Service,
  arrived: ArrivedRequest,
  order: JobOrder,
  offer: Offer<P>,
  run: (held: HeldJob, terms: AgreedTerms<P>) => Promise<Answer>,
): Promise<Answer> {
  const { step } = service.metrics
  const payment = offer.proven
  for (;;) {
    const terms = agreeOnTerms(service, order, offer) // 7, 8: refused below
    try {
      const repeat = await orInDoubt(
        step('look_up', () => findRepeat(service, arrived, order, payment, terms)), // 6
      )
      if (repeat !== undefined) return countAnswer(service, order, 'repeat', repeat)
      if (terms.kind === 'refused')
        return countAnswer(service, order, 'run', await refuseUnlessCharged(service, order, terms)) // 8a
      if (payment !== undefined) service.admission.enter(payment.payer) // 8b
      const held = await orInDoubt(step('claim', () => claimJob(service, order, terms))) // 9
      if (held !== undefined) return countAnswer(service, order, 'run', await run(held, terms))
    } catch (error) {
      if (error instanceof HoldLost) continue
      if (error instanceof JoinedTooShort)
        return countAnswer(service, order, 'run', await refuseToWait(service, order, payableOf(terms), error))
      if (terms.kind === 'refused' && error === terms.refusal) throw refusalNow(service, order, offer, terms)
      if (terms.kind === 'agreed' && error instanceof DeadlineError)
        throw orClockDoubt(service, terms.deadline, error)
      if (!(error instanceof OutcomeInDoubt)) throw error
      // Nobody knows whether an attempt at this job may still charge: that is no failure (D8, D25).
      if (payment === undefined) throw error.cause
      service.log.warn(error.message, { cause: describeThrown(error.cause), job: order.jobId })
      return countAnswer(service, order, 'run', answerPending(order.jobId))
    }
  }
}
