import type { Answer } from '../answer/answer.ts'
import { describeThrown } from '../handler/describe-thrown.ts'
import type { HeldJob } from '../jobs/renew-leases.ts'
import { countAnswer } from './count-answer.ts'
import { answerPending } from './outcome/answer-job.ts'
import { orInDoubt, OutcomeInDoubt } from './outcome/outcome-in-doubt.ts'
import { answered, TAKEN, type Served } from './outcome/served.ts'
import { findRepeat } from './repeat/find-repeat.ts'
import { refuseUnlessCharged } from './repeat/unless-charged.ts'
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

type Run<P extends AcceptedPayment | undefined> = (held: HeldJob, terms: AgreedTerms<P>) => Promise<Served>

/**
 * Steps 6 to 9 of ARCHITECTURE.md: a repeat is answered from its record, a new job is claimed and run; when this
 * process loses the claim, it reads the record again. Throws when the request is refused.
 */
export async function serveOrder<P extends AcceptedPayment | undefined>(
  service: Service,
  arrived: ArrivedRequest,
  order: JobOrder,
  offer: Offer<P>,
  run: Run<P>,
): Promise<Answer> {
  for (;;) {
    const served = await serveOnce(service, arrived, order, offer, run).catch((error: unknown) =>
      serveInDoubt(service, order, offer, error),
    )
    if (served.kind === 'answered') return countAnswer(service, order, served.how, served.answer)
    if (served.kind === 'refused') throw served.refusal
  }
}

async function serveOnce<P extends AcceptedPayment | undefined>(
  service: Service,
  arrived: ArrivedRequest,
  order: JobOrder,
  offer: Offer<P>,
  run: Run<P>,
): Promise<Served> {
  const { step } = service.metrics
  const payment = offer.proven
  const terms = agreeOnTerms(service, order, offer) // 7, 8: refused below
  const found = await orInDoubt(
    step('look_up', () => findRepeat(service, arrived, order, payment, terms)), // 6
  )
  if (found.kind === 'answered') return found
  if (found.kind === 'refused') return found
  if (found.kind === 'too-short') {
    const { refusal } = found
    const asSent = (): unknown => orClockDoubt(service, { atMs: order.deadline * 1_000 }, refusal)
    return await refuseUnlessCharged(service, order, {
      refusal,
      asSent,
      payment: payableOf(terms),
      job: 'running',
    })
  }
  if (found.kind === 'of-another-payer') {
    // The store may have lost this payer's job, and another payer may have claimed its job_id since.
    const { left, refusal } = found
    return await refuseUnlessCharged(service, order, { refusal, payment: payableOf(terms), job: { left } })
  }
  if (terms.kind === 'refused') {
    const { refusal, mayHavePaid } = terms
    const asSent = (): unknown => refusalNow(service, order, offer, terms)
    return await refuseUnlessCharged(service, order, { refusal, asSent, payment: mayHavePaid, job: 'free' }) // 8a
  }
  if (payment !== undefined) service.admission.enter(payment.payer) // 8b
  const held = await orInDoubt(step('claim', () => claimJob(service, order, terms))) // 9
  return held === undefined ? TAKEN : await run(held, terms)
}

/**
 * Answers 503 when it is unknown whether an attempt at this job may still charge, because that is not a failure (D8,
 * D25). Other errors pass.
 */
function serveInDoubt(service: Service, order: JobOrder, { proven: payment }: Offer, error: unknown): Served {
  if (!(error instanceof OutcomeInDoubt)) throw error
  if (payment === undefined) throw error.cause
  service.log.warn(error.message, { cause: describeThrown(error.cause), job: order.jobId })
  return answered(answerPending(order.jobId))
}
