import { randomUUID } from 'node:crypto'
import { PaymentError } from '@farebox/protocol/errors/service-errors'
import { PAYMENT_CLAIM_MARGIN_SECONDS } from '@farebox/protocol/limits'
import type { Job } from '../jobs/job.ts'
import type { AcceptedPayment } from './accept-terms.ts'
import type { Deadline } from './enforce-deadline.ts'
import type { JobOrder } from './job-order.ts'
import { LEASE_MS, UNFINISHED_KEPT_MS, type HeldJob } from './keep-leases.ts'
import type { Service } from './service.ts'

/**
 * Claims the job and its payment together, before anybody is asked and anything is run (D6): one authorization
 * buys one job over all replicas.
 *
 * Resolves to undefined where somebody else holds the job. Throws a `PaymentError` where the payment is claimed
 * for another job.
 */
export async function claimJob(
  service: Service,
  order: JobOrder,
  payment: AcceptedPayment | undefined,
  deadline: Deadline,
): Promise<HeldJob | undefined> {
  const holder = { jobKey: order.jobKey, fence: randomUUID() }
  const outcome = await service.jobs.claim({
    ...holder,
    ...(payment && { payment: { key: payment.key, keepMs: paymentClaimMs(payment, service.clock.nowMs()) } }),
    leaseMs: LEASE_MS,
    keepMs: UNFINISHED_KEPT_MS,
    job: { version: 1, state: 'running', payer: payment?.payer ?? '', deadlineMs: deadline.atMs, overran: false },
  })
  if (outcome.kind === 'payment-taken') throw new PaymentError('this payment was sent for another job: one payment buys one job')
  return outcome.kind === 'held' ? undefined : service.leases.hold(holder, outcome.job)
}

/** Claims a job whose holder died after its response was saved; its own payment comes with it. Undefined where held. */
export async function takeOverJob(service: Pick<Service, 'jobs' | 'leases'>, jobKey: string, left: Job): Promise<HeldJob | undefined> {
  const holder = { jobKey, fence: randomUUID() }
  const outcome = await service.jobs.claim({ ...holder, leaseMs: LEASE_MS, keepMs: UNFINISHED_KEPT_MS, job: left })
  return outcome.kind === 'claimed' ? service.leases.hold(holder, outcome.job) : undefined
}

function paymentClaimMs(payment: AcceptedPayment, nowMs: number): number {
  return (Number(payment.authorization.validBefore) + PAYMENT_CLAIM_MARGIN_SECONDS) * 1_000 - nowMs
}
