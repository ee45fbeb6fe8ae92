import type { ProvenPayment } from '@farebox/payments/check-payment'
import type { Answer } from '../http/answer.ts'
import type { AcceptedPayment } from './accept-terms.ts'
import { agreeOnTerms, type AgreedTerms } from './agree-on-terms.ts'
import { answerError, logRefusal } from './answer-error.ts'
import { answerPending, answerSettled } from './answer-job.ts'
import type { ArrivedRequest } from './arrived-request.ts'
import { askForPayment } from './ask-for-payment.ts'
import { authorizeAgent } from './authorize-agent.ts'
import { checkOutput, writeResponse } from './check-output.ts'
import { claimJob } from './claim-job.ts'
import { countAnswer, countRefusal } from './count-answer.ts'
import { describeThrown } from './describe-thrown.ts'
import { enforceDeadline, type Deadline } from './enforce-deadline.ts'
import { findRepeat } from './find-repeat.ts'
import { letGoAfterFailure } from './let-go.ts'
import { readJobOrder, type JobOrder } from './job-order.ts'
import { HoldLost, type HeldJob } from './keep-leases.ts'
import { isForgotten, orInDoubt, OutcomeInDoubt } from './outcome-in-doubt.ts'
import { parseBody } from './parse-body.ts'
import { provePayer } from './prove-payer.ts'
import { reservePayment, type ReservedPayment } from './reserve-payment.ts'
import { checkInput, runHandler } from './run-handler.ts'
import { keepUnpaidResponse, saveResponse } from './save-response.ts'
import type { Service } from './service.ts'
import { settlePayment } from './settle-payment.ts'

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
    order = readJobOrder(service, parseBody(arrived))
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
      const repeat = await orInDoubt(step('look_up', () => findRepeat(service, order, payment, terms)))
      if (repeat !== undefined) return countAnswer(service, order, 'repeat', repeat)
      if (terms.kind === 'refused') throw terms.refusal
      const held = await orInDoubt(step('claim', () => claimJob(service, order, terms)))
      if (held !== undefined)
        return countAnswer(service, order, 'run', await run(service, order, held, terms))
    } catch (error) {
      if (error instanceof HoldLost) continue
      if (!(error instanceof OutcomeInDoubt)) throw error
      // Nobody knows whether an attempt at this job may still charge: no failure, unless nothing is kept of it.
      if (payment === undefined || (await isForgotten(service, order.jobKey))) throw error.cause
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
  const { payments, log } = service
  const { step } = service.metrics
  let reserved: ReservedPayment | undefined
  try {
    if (payments === undefined) throw new Error('a paid job in an agent that takes no payments')
    const gate = authorizeAgent(payments)
    // The claim may have taken its time.
    enforceDeadline(service.clock, deadline)
    const { crypto } = payments
    const reservation = await step('verify', () =>
      reservePayment(service, gate, crypto, order, payment, deadline),
    )
    reserved = reservation
    log.job('payment verified', order.jobId, { payer: payment.payer, amount: order.capability.price })
    // A response whose first payment failed is sold again as it is, without a second run (D22).
    const response =
      held.job.state === 'unpaid' ? held.job.response : await produceResponse(service, order, held, deadline)
    const saved = await step('save', () => saveResponse(order, held, reservation, response))
    return await step('settle', () => settlePayment(service.settlements, service.clock, saved))
  } catch (error) {
    return await letGoAfterFailure(service, held, reserved, error)
  }
}

async function runUnpaid(
  service: Service,
  order: JobOrder,
  held: HeldJob,
  deadline: Deadline,
): Promise<Answer> {
  try {
    const response = await produceResponse(service, order, held, deadline)
    const answer = answerSettled(await keepUnpaidResponse(held, response))
    service.bell.ring(order.jobKey)
    service.log.job('completed', order.jobId)
    return answer
  } catch (error) {
    return await letGoAfterFailure(service, held, undefined, error)
  }
}

/** input → handler → output: the work itself, and the exact bytes that will answer for it. */
async function produceResponse(
  service: Service,
  order: JobOrder,
  held: HeldJob,
  deadline: Deadline,
): Promise<string> {
  const { clock, log } = service
  const input = checkInput(order)
  log.job('input valid', order.jobId)
  const run = await service.metrics.step('handler', () => runHandler(service, order, input, deadline, held))
  const output = checkOutput(service, order, run)
  return writeResponse(order, output, Math.floor(clock.nowMs() / 1_000))
}
