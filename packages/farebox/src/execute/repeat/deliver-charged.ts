import type { ProvenPayment } from '@farebox/payments/x402/verify-signature'
import { encodeHeader, type PaymentResponse } from '@farebox/payments/x402/payment-header'
import type { Answer } from '../../answer/answer.ts'
import type { Deadline } from '../../handler/enforce-deadline.ts'
import { describeThrown } from '../../handler/describe-thrown.ts'
import type { HeldJob } from '../../jobs/renew-leases.ts'
import { answerPending, answerSettled } from '../outcome/answer-job.ts'
import { releaseQuietly } from '../outcome/release-job.ts'
import { keepFinalResponse } from '../outcome/save-response.ts'
import { answered, TAKEN, type Served } from '../outcome/served.ts'
import type { JobOrder } from '../request/job-order.ts'
import { produceResponse } from '../run/produce-response.ts'
import type { Service } from '../service/service.ts'

/**
 * Runs a job again whose charge has lost its record, and answers 200 with the receipt of that charge. The new record is
 * kept longer than the charge counts, so that the charge pays for no second run.
 *
 * A run that fails is answered 503 instead of with its failure, which would claim that nothing was charged (I5). The
 * job is released in any case.
 */
export async function deliverCharged(
  service: Service,
  order: JobOrder,
  { held, deadline }: { readonly held: HeldJob; readonly deadline: Deadline },
  { payment, transaction }: { readonly payment: ProvenPayment; readonly transaction: string },
): Promise<Served> {
  service.log.warn('the record of a charged job was lost; running the job again', {
    transaction,
    job: order.jobId,
  })
  try {
    const response =
      held.job.state === 'unpaid' ? held.job.response : await produceResponse(service, order, held, deadline)
    const paid = { paymentKey: payment.key, paymentResponse: receiptOf(payment, transaction) }
    const settled = await keepFinalResponse(held, response, paid)
    service.notifier.notify(order.jobKey)
    service.log.job('completed', order.jobId, { transaction })
    return answered(answerSettled(settled))
  } catch (error) {
    const cause = describeThrown(error)
    service.log.warn('a charged job failed when it was run again', { cause, job: order.jobId })
    const isTakenOver = await releaseQuietly(service, held, error)
    return isTakenOver ? TAKEN : answered(answerCharged(order, transaction))
  }
}

/** The 503 for a job that is paid and could not be delivered now. */
export function answerCharged(order: JobOrder, transaction: string): Answer {
  return answerPending(
    order.jobId,
    `this payment was charged in ${transaction}, its job is run again: repeat the same job_id with the same payment header`,
  )
}

function receiptOf({ network, authorization }: ProvenPayment, transaction: string): string {
  const response: PaymentResponse = {
    success: true,
    transaction,
    network: network.id,
    payer: authorization.from,
    amount: authorization.value,
  }
  return encodeHeader(response)
}
