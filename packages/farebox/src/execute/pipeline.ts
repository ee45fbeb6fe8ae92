import { DeadlineError } from '@farebox/protocol/errors/service-errors'
import { LARGE_BODY_BYTES } from '@farebox/protocol/limits'
import type { Answer } from '../answer/answer.ts'
import type { HeldJob } from '../jobs/renew-leases.ts'
import { answerError, logRefusal } from './answer-error.ts'
import { countAsked, countRefusal } from './count-answer.ts'
import { answerSettled } from './outcome/answer-job.ts'
import { noteFailure } from './outcome/note-failure.ts'
import { releaseAfterFailure } from './outcome/release-job.ts'
import { keepFinalResponse, saveResponse } from './outcome/save-response.ts'
import { answered, refused, type Served } from './outcome/served.ts'
import { settlePayment } from './outcome/settle-payment.ts'
import { authorizeAgent } from './payment/authorize-agent.ts'
import { PaymentRejected, reservePayment, type ReservedPayment } from './payment/reserve-payment.ts'
import { refuseUnlessCharged } from './repeat/unless-charged.ts'
import type { AcceptedPayment } from './request/accept-payment.ts'
import { NOTHING_OFFERED, offerPayment, type AgreedTerms } from './request/agree-on-terms.ts'
import type { ArrivedRequest } from './request/arrived-request.ts'
import { askForPayment } from './request/ask-for-payment.ts'
import { endOfRun, refusalByClock } from './request/clock-doubt.ts'
import { readJobOrder, type JobOrder } from './request/job-order.ts'
import { provePayer } from './request/prove-payer.ts'
import { produceResponse } from './run/produce-response.ts'
import { serveOrder } from './serve-order.ts'
import { fieldsOf } from '../tracing/job-traces.ts'
import { traceRequest, type TracedRequest } from './trace-request.ts'
import type { Payments, Service } from './service/service.ts'

/**
 * `POST /execute`, in the order of D14; the step numbers are those of ARCHITECTURE.md. A step throws to refuse the
 * request. Each step requires a value that only the step before it can make, so that no step can be left out: only an
 * accepted payment can be reserved, only a saved response can be charged for, and a response is made only of checked
 * output.
 */
export async function execute(service: Service, arrived: ArrivedRequest): Promise<Answer> {
  return await traceRequest(arrived, request => executeOrder(service, arrived, request))
}

async function executeOrder(
  service: Service,
  arrived: ArrivedRequest,
  request: TracedRequest,
): Promise<Answer> {
  const { payments, log } = service
  let order: JobOrder | undefined
  let leave: (() => void) | undefined
  try {
    if (payments !== undefined && arrived.paymentHeaders.length === 0)
      return countAsked(service, askForPayment(service, payments, arrived)) // 1
    order = await readOrder(service, arrived, request) // 2, 3
    request.order = order
    leave = service.traces.enter(order.jobId, order.traced)
    log.job('execute', order.jobId, { capability: order.capability.name, ...fieldsOf(order.traced) })
    return payments === undefined
      ? await executeFree(service, arrived, order)
      : await executePaid(service, payments, arrived, order)
  } catch (error) {
    const answer = answerError(log, error, order)
    if (order !== undefined) logRefusal(log, order, error, answer)
    countRefusal(service, order, error, answer)
    return answer
  } finally {
    leave?.()
  }
}

/** Parses large bodies one at a time: parsing blocks the event loop, and at this point no payment has been proven. */
async function readOrder(
  service: Service,
  arrived: ArrivedRequest,
  { trace }: TracedRequest,
): Promise<JobOrder> {
  if (arrived.body.length <= LARGE_BODY_BYTES) return readJobOrder(service, arrived, trace)
  return await service.turns.take(() => readJobOrder(service, arrived, trace))
}

async function executePaid(
  service: Service,
  payments: Payments,
  arrived: ArrivedRequest,
  order: JobOrder,
): Promise<Answer> {
  authorizeAgent(payments) // 4
  const payment = provePayer(payments, arrived) // 5
  order.traced.key = payment.key
  const offer = offerPayment(payments, arrived, order, payment)
  // 6–9
  return await serveOrder(service, arrived, order, offer, (held, terms) =>
    runPaid(service, payments, order, held, terms),
  )
}

/** Dev mode: the payment steps are skipped, the other steps keep their order. */
async function executeFree(service: Service, arrived: ArrivedRequest, order: JobOrder): Promise<Answer> {
  // 6, 8, 9
  return await serveOrder(service, arrived, order, NOTHING_OFFERED, (held, terms) =>
    runFree(service, order, held, terms),
  )
}

async function runPaid(
  service: Service,
  payments: Payments,
  order: JobOrder,
  held: HeldJob,
  { payment, deadline }: AgreedTerms<AcceptedPayment>,
): Promise<Served> {
  const { log, clock, metrics } = service
  const arrivedMs = clock.nowMs()
  if (arrivedMs >= deadline.atMs) {
    // The claim may have taken until after the deadline.
    const refusal = new DeadlineError('the deadline has passed')
    const asSent = (): unknown => refusalByClock(service, deadline, refusal)
    return await refuseUnlessCharged(service, order, { refusal, asSent, payment, job: { held, deadline } })
  }
  let reserved: ReservedPayment | undefined
  try {
    const gate = authorizeAgent(payments)
    const reservation = await metrics.step('verify', () =>
      // 10
      reservePayment(service, gate, payments.crypto, order, payment, deadline),
    )
    reserved = reservation
    log.job('payment verified', order.jobId, { payer: payment.payer, amount: order.capability.price })
    // A response whose first payment failed is sold again unchanged, without a second run (D22).
    const response =
      held.job.state === 'unpaid'
        ? held.job.response
        : await produceResponse(service, order, held, endOfRun(service, deadline)) // 11–13
    const saved = await metrics.step('save', () =>
      // 14
      saveResponse(order, held, reservation, response),
    )
    service.admission.succeeded(payment.payer)
    return answered(await metrics.step('settle', () => settlePayment(service, saved))) // 15, 16
  } catch (error) {
    noteFailure(service, payment, deadline, arrivedMs, error)
    if (error instanceof PaymentRejected) {
      const { charge } = error
      return await refuseUnlessCharged(service, order, {
        refusal: error,
        payment,
        job: { held, deadline },
        charge,
      })
    }
    const released = await releaseAfterFailure(service, held, reserved, error)
    return released.kind === 'refused'
      ? refused(refusalByClock(service, deadline, released.refusal))
      : released
  }
}

async function runFree(
  service: Service,
  order: JobOrder,
  held: HeldJob,
  { deadline }: AgreedTerms,
): Promise<Served> {
  try {
    const response = await produceResponse(service, order, held, deadline) // 11–13
    const answer = answerSettled(await keepFinalResponse(held, response)) // 14, 16
    service.notifier.notify(order.jobKey)
    service.log.job('completed', order.jobId)
    return answered(answer)
  } catch (error) {
    return await releaseAfterFailure(service, held, undefined, error)
  }
}
