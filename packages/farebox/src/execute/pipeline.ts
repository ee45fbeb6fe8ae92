import type { ProvenPayment } from '@farebox/payments/check-payment'
import type { Answer } from '../http/answer.ts'
import { acceptTerms, type AcceptedPayment } from './accept-terms.ts'
import { answerError, logRefusal } from './answer-error.ts'
import { answerPending, answerSettled } from './answer-job.ts'
import type { ArrivedRequest } from './arrived-request.ts'
import { askForPayment } from './ask-for-payment.ts'
import { authorizeAgent } from './authorize-agent.ts'
import { checkOutput, writeResponse } from './check-output.ts'
import { claimJob } from './claim-job.ts'
import { effectiveDeadline, enforceDeadline, type Deadline } from './enforce-deadline.ts'
import { findRepeat } from './find-repeat.ts'
import { letGoAfterFailure } from './let-go.ts'
import { readJobOrder, type JobOrder } from './job-order.ts'
import { HoldLost, type HeldJob } from './keep-leases.ts'
import { parseBody } from './parse-body.ts'
import { provePayer } from './prove-payer.ts'
import { reservePayment, type ReservedPayment } from './reserve-payment.ts'
import { checkInput, runHandler } from './run-handler.ts'
import { keepUnpaidResponse, SaveInDoubt, saveResponse } from './save-response.ts'
import type { Service } from './service.ts'
import { settlePayment } from './settle-payment.ts'

/**
 * `POST /execute`, step by step, in the order of D14. A step throws to refuse; each asks for what only the step
 * before it can make, so that none can be left out: a payment is reserved only when accepted, charged only for a
 * response that was saved, and that is made only of checked output.
 */
export async function execute(service: Service, arrived: ArrivedRequest): Promise<Answer> {
  const { payments, log } = service
  let order: JobOrder | undefined
  try {
    if (payments !== undefined && arrived.paymentHeaders.length === 0)
      return askForPayment(service, payments, arrived)
    order = readJobOrder(service, parseBody(arrived))
    log.job('execute', order.jobId, { capability: order.capability.name })
    if (payments !== undefined) authorizeAgent(payments)
    const payment = payments && provePayer(payments, arrived)
    return await serveOrder(service, arrived, order, payment)
  } catch (error) {
    const answer = answerError(log, error)
    if (order !== undefined) logRefusal(log, order, error, answer)
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
  for (;;) {
    const repeat = await findRepeat(service, order, payment)
    if (repeat !== undefined) return repeat
    const accepted =
      payment && service.payments && acceptTerms(service, service.payments, arrived, order, payment)
    const deadline = effectiveDeadline(service.clock, order, accepted)
    enforceDeadline(service.clock, deadline)
    const held = await claimJob(service, order, accepted, deadline)
    if (held === undefined) continue
    try {
      return accepted === undefined
        ? await runUnpaid(service, order, held, deadline)
        : await runPaid(service, order, held, accepted, deadline)
    } catch (error) {
      if (error instanceof SaveInDoubt) return answerPending(order.jobId)
      if (!(error instanceof HoldLost)) throw error
    }
  }
}

async function runPaid(
  service: Service,
  order: JobOrder,
  held: HeldJob,
  payment: AcceptedPayment,
  deadline: Deadline,
): Promise<Answer> {
  const { payments, log } = service
  let reserved: ReservedPayment | undefined
  try {
    if (payments === undefined) throw new Error('a paid job in an agent that takes no payments')
    const gate = authorizeAgent(payments)
    reserved = await reservePayment(service, gate, payments.crypto, order, payment, deadline)
    log.job('payment verified', order.jobId, { payer: payment.payer, amount: order.capability.price })
    // A response whose first payment failed is sold again as it is, without a second run (D22).
    const response =
      held.job.state === 'unpaid' ? held.job.response : await produceResponse(service, order, held, deadline)
    const saved = await saveResponse(order, held, reserved, response)
    return await settlePayment(service.settlements, service.clock, saved)
  } catch (error) {
    if (await letGoAfterFailure(service, held, reserved, error)) throw error
    throw new HoldLost('the job was taken over before it failed here', { cause: error })
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
    if (await letGoAfterFailure(service, held, undefined, error)) throw error
    throw new HoldLost('the job was taken over before it failed here', { cause: error })
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
  const run = await runHandler(service, order, input, deadline, held)
  const output = checkOutput(service, order, run)
  return writeResponse(order, output, Math.floor(clock.nowMs() / 1_000))
}
