import type { ProvenPayment } from '@farebox/payments/x402/verify-signature'
import { DeadlineError, ValidationError } from '@farebox/protocol/errors/service-errors'
import type { Answer } from '../answer/answer.ts'
import type { AcceptedPayment } from './request/accept-terms.ts'
import { agreeOnTerms, payableOf, refusalNow, type AgreedTerms } from './request/agree-on-terms.ts'
import { answerError, logRefusal } from './answer-error.ts'
import { answerPending, answerSettled } from './outcome/answer-job.ts'
import type { ArrivedRequest } from './request/arrived-request.ts'
import { askForPayment } from './request/ask-for-payment.ts'
import { authorizeAgent } from './payment/authorize-agent.ts'
import { makeResponse } from './run/make-response.ts'
import { LARGE_BODY_BYTES } from '@farebox/protocol/limits'
import { claimJob } from './run/claim-job.ts'
import { clockAhead, endOfRun, orClockDoubt } from './request/clock-doubt.ts'
import { countAnswer, countRefusal } from './count-answer.ts'
import { describeThrown } from '../handler/describe-thrown.ts'
import { checkPastCharge, askForCharge } from './payment/charged-before.ts'
import { deliverCharged, refuseToWait, refuseUnlessCharged, type Produce } from './repeat/deliver-charged.ts'
import type { Deadline } from '../handler/enforce-deadline.ts'
import { findRepeat, JoinedTooShort } from './repeat/find-repeat.ts'
import { releaseAfterFailure } from './outcome/release-job.ts'
import { readJobOrder, type JobOrder } from './request/job-order.ts'
import { HoldLost, type HeldJob } from '../jobs/keep-leases.ts'
import { orInDoubt, OutcomeInDoubt } from './outcome/outcome-in-doubt.ts'
import { provePayer } from './request/prove-payer.ts'
import {
  PaymentRejected,
  reservePayment,
  VerifyOverran,
  type ReservedPayment,
} from './payment/reserve-payment.ts'
import { checkInput, runHandler } from './run/run-handler.ts'
import { keepFinalResponse, saveResponse } from './outcome/save-response.ts'
import type { Service } from './service/service.ts'
import { settlePayment } from './outcome/settle-payment.ts'

/**
 * `POST /execute`, step by step, in the order of D14. A step throws to refuse; each asks for what only the step
 * before it can make, so that none can be left out: a payment is reserved only when accepted, charged only for a
 * response that was saved, and that is made only of checked output.
 */
export async function execute(service: Service, arrived: ArrivedRequest): Promise<Answer> {
  const { payments, log, metrics } = service
  let order: JobOrder | undefined
  try {
    if (payments !== undefined && arrived.paymentHeaders.length === 0) {
      const answer = askForPayment(service, payments, arrived)
      metrics.answered({ outcome: 'asked_to_pay' })
      return answer
    }
    // Parsing holds up the event loop, and nobody is proven to pay yet.
    order =
      arrived.body.length <= LARGE_BODY_BYTES
        ? readJobOrder(service, arrived)
        : await service.turns.take(() => readJobOrder(service, arrived))
    log.job('execute', order.jobId, { capability: order.capability.name })
    if (payments !== undefined) authorizeAgent(payments)
    const payment = payments && provePayer(payments, arrived)
    return await serveOrder(service, arrived, order, payment)
  } catch (error) {
    const answer = answerError(log, error)
    if (order !== undefined) logRefusal(log, order, error, answer)
    countRefusal(service, order, error, answer)
    return answer
  }
}

/** A repeat is answered from what is stored, a new job is claimed and run; whoever loses a claim looks again. */
async function serveOrder(
  service: Service,
  arrived: ArrivedRequest,
  order: JobOrder,
  payment: ProvenPayment | undefined,
): Promise<Answer> {
  const { step } = service.metrics
  for (;;) {
    const terms = agreeOnTerms(service, arrived, order, payment)
    try {
      const repeat = await orInDoubt(
        step('look_up', () => findRepeat(service, arrived, order, payment, terms)),
      )
      if (repeat !== undefined) return countAnswer(service, order, 'repeat', repeat)
      if (terms.kind === 'refused') {
        const produce: Produce = (held, deadline) => produceResponse(service, order, held, deadline)
        return countAnswer(service, order, 'run', await refuseUnlessCharged(service, order, terms, produce))
      }
      if (payment !== undefined) service.admission.enter(payment.payer)
      const held = await orInDoubt(step('claim', () => claimJob(service, order, terms)))
      if (held !== undefined)
        return countAnswer(service, order, 'run', await run(service, order, held, terms))
    } catch (error) {
      if (error instanceof HoldLost) continue
      if (error instanceof JoinedTooShort)
        return countAnswer(service, order, 'run', await refuseToWait(service, order, payableOf(terms), error))
      if (terms.kind === 'refused' && error === terms.refusal)
        throw refusalNow(service, arrived, order, payment, terms)
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

async function run(
  service: Service,
  order: JobOrder,
  held: HeldJob,
  { payment, deadline }: AgreedTerms,
): Promise<Answer> {
  return payment === undefined
    ? await runUnpaid(service, order, held, deadline)
    : await runPaid(service, order, held, payment, deadline)
}

async function runPaid(
  service: Service,
  order: JobOrder,
  held: HeldJob,
  payment: AcceptedPayment,
  deadline: Deadline,
): Promise<Answer> {
  const { payments, log, clock } = service
  const { step } = service.metrics
  const arrivedMs = clock.nowMs()
  const produce: Produce = (mine, until) => produceResponse(service, order, mine, until)
  if (payments === undefined) throw new Error('a paid job in an agent that takes no payments')
  if (clock.nowMs() >= deadline.atMs) {
    // The claim took its time.
    const past = await askForCharge(service, payments, order, payment)
    const refusal = new DeadlineError('the deadline has passed')
    return await deliverCharged(service, { order, held, payment, deadline, past, refusal, produce })
  }
  let reserved: ReservedPayment | undefined
  try {
    const gate = authorizeAgent(payments)
    const { crypto } = payments
    const reservation = await step('verify', () =>
      reservePayment(service, gate, crypto, order, payment, deadline),
    )
    reserved = reservation
    log.job('payment verified', order.jobId, { payer: payment.payer, amount: order.capability.price })
    // A response whose first payment failed is sold again as it is, without a second run (D22).
    const response =
      held.job.state === 'unpaid' ? held.job.response : await produce(held, endOfRun(service, deadline))
    const saved = await step('save', () => saveResponse(order, held, reservation, response))
    service.admission.succeeded(payment.payer)
    return await step('settle', () => settlePayment(service, saved))
  } catch (error) {
    noteFailure(service, payment, deadline, arrivedMs, error)
    if (error instanceof PaymentRejected) {
      const past = checkPastCharge(service, payments, order, payment, error.charge)
      return await deliverCharged(service, { order, held, payment, deadline, past, refusal: error, produce })
    }
    return await releaseAfterFailure(service, held, reserved, error)
  }
}

/**
 * An attempt that came to nothing by what its payer sent, after the facilitator was asked about it. Where the handler had less time than the agent
 * declares, and used it up, that was the payer's choice; with more time it is the agent's own slowness.
 */
function noteFailure(
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

async function runUnpaid(
  service: Service,
  order: JobOrder,
  held: HeldJob,
  deadline: Deadline,
): Promise<Answer> {
  try {
    const response = await produceResponse(service, order, held, deadline)
    const answer = answerSettled(await keepFinalResponse(held, response))
    service.notifier.notify(order.jobKey)
    service.log.job('completed', order.jobId)
    return answer
  } catch (error) {
    return await releaseAfterFailure(service, held, undefined, error)
  }
}

/** input → handler → output: the work itself, and the exact bytes that will answer for it. */
async function produceResponse(
  service: Service,
  order: JobOrder,
  held: HeldJob,
  deadline: Deadline,
): Promise<string> {
  const input = await checkInput(service, order)
  service.log.job('input valid', order.jobId)
  const run = await service.metrics.step('handler', () => runHandler(service, order, input, deadline, held))
  return makeResponse(service, order, run)
}
