import type { ProvenPayment } from '@farebox/payments/x402/verify-signature'
import { isBoundNonce } from '@farebox/payments/authorization/nonce-binding'
import { PaymentError } from '@farebox/protocol/errors/service-errors'
import { PAYMENT_CLAIM_MARGIN_SECONDS } from '@farebox/protocol/limits'
import type { Job, RunningJob, UnpaidJob } from '../../jobs/job.ts'
import type { JobClaim } from '../../jobs/job-store.ts'
import type { Deadline } from '../../handler/enforce-deadline.ts'
import type { JobOrder } from '../request/job-order.ts'
import { LEASE_MS, UNFINISHED_KEPT_MS, type HeldJob } from '../../jobs/renew-leases.ts'
import type { Service } from '../service/service.ts'

/**
 * Claims the job and its payment together, before the facilitator is asked and any work is done (D6), so that one
 * authorization buys one job across all replicas. A payment whose nonce names its job and this agent needs no separate
 * claim.
 *
 * Resolves to undefined when another holder has the job, or when the job may not be run any more: the caller must look
 * it up again. Throws a `PaymentError` when the payment is claimed for another job.
 */
export async function claimJob(
  service: Service,
  order: JobOrder,
  { payment, deadline }: { readonly payment: ProvenPayment | undefined; readonly deadline: Deadline },
): Promise<HeldJob | undefined> {
  const holder = { jobKey: order.jobKey, fence: crypto.randomUUID() }
  const job: RunningJob = {
    version: 1,
    state: 'running',
    payer: payment?.payer ?? '',
    deadlineMs: deadline.atMs,
    overran: false,
  }
  const askedMs = service.clock.nowMs()
  const outcome = await service.jobs.claim({
    jobKey: holder.jobKey,
    fence: holder.fence,
    payment: payment && claimedWith(service, payment, askedMs),
    leaseMs: LEASE_MS,
    keepMs: UNFINISHED_KEPT_MS,
    job,
  })
  if (outcome.kind === 'payment-taken')
    throw new PaymentError('this payment was sent for another job: one payment buys one job')
  if (outcome.kind === 'held') return undefined
  service.traces.lead(order.jobId, order.traced)
  const held = service.leases.hold(holder, outcome.job, askedMs)
  if (mayRun(outcome.job, order, payment)) return await renewRun(held, job)
  await leaveAsItIs(held)
  return undefined
}

/** Whether the job may still be run: an earlier holder may have changed it since it was looked up. */
function mayRun(left: Job, { capability }: JobOrder, payment: ProvenPayment | undefined): boolean {
  if (left.payer !== (payment?.payer ?? '')) return false
  if (left.state === 'running') return true
  return (
    left.state === 'unpaid' &&
    payment !== undefined &&
    !left.refusedPayments.includes(payment.key) &&
    left.amount === capability.requirement.amount
  )
}

/** Gives a run that was taken over its own deadline, which requests that join it use (decision 3). */
async function renewRun(held: HeldJob, job: RunningJob): Promise<HeldJob | undefined> {
  const left = held.job
  if (left.state !== 'running' || (left.deadlineMs === job.deadlineMs && !left.overran)) return held
  try {
    return (await held.keep(job)) ? held : undefined
  } catch (error) {
    await leaveAsItIs(held)
    throw error
  }
}

/**
 * Claims a job whose holder died after saving its response, with its own payment. Undefined when another process holds
 * it.
 */
export async function takeOverJob(
  service: Pick<Service, 'jobs' | 'leases' | 'clock'>,
  jobKey: string,
  left: Job,
): Promise<HeldJob | undefined> {
  const held = await claimLeft(service, jobKey, left)
  if (held === undefined || held.job.state === 'saved') return held
  // Another process has completed it meanwhile.
  await leaveAsItIs(held)
  return undefined
}

/**
 * Takes over a job whose holder's lease has expired, so that the old holder cannot charge if it is still alive. A run
 * is deleted; a response that waits for a payment is kept. False when another process has the job: look it up again.
 */
export async function endAbandonedRun(
  service: Pick<Service, 'jobs' | 'leases' | 'clock'>,
  jobKey: string,
  left: RunningJob | UnpaidJob,
): Promise<boolean> {
  const held = await claimLeft(service, jobKey, left)
  if (held === undefined) return false
  const { state, payer } = held.job
  if (state === 'running' && payer === left.payer) return await held.release({ kind: 'forget' })
  return (await leaveAsItIs(held)) && state === left.state
}

/**
 * Deletes an unsold job of a payer who has no right to its job_id, because another payer was charged for it. False when
 * a process holds the job, or its response is being sold.
 */
export async function endUnsold(
  service: Pick<Service, 'jobs' | 'leases' | 'clock'>,
  jobKey: string,
  left: Job,
): Promise<boolean> {
  const held = await claimLeft(service, jobKey, left)
  if (held === undefined) return false
  const { state, payer } = held.job
  if (payer === left.payer && (state === 'running' || state === 'unpaid'))
    return await held.release({ kind: 'forget' })
  await leaveAsItIs(held)
  return false
}

/** Claims a job whose holder's lease has expired. Undefined when another process holds it. */
async function claimLeft(
  { jobs, leases, clock }: Pick<Service, 'jobs' | 'leases' | 'clock'>,
  jobKey: string,
  left: Job,
): Promise<HeldJob | undefined> {
  const holder = { jobKey, fence: crypto.randomUUID() }
  const askedMs = clock.nowMs()
  const outcome = await jobs.claim({ ...holder, leaseMs: LEASE_MS, keepMs: UNFINISHED_KEPT_MS, job: left })
  return outcome.kind === 'claimed' ? leases.hold(holder, outcome.job, askedMs) : undefined
}

/** Releases the job without a change. False when the hold was lost, or the store failed. */
async function leaveAsItIs(held: HeldJob): Promise<boolean> {
  const change = { kind: 'leave', job: held.job, sealed: false, keepMs: UNFINISHED_KEPT_MS } as const
  return await held.release(change).catch(() => false)
}

/**
 * The claim on the payment that is made with the job's claim. A bound nonce names its job, which was checked (D13): no
 * other job can use the payment, so none is needed. Without `SERVICE_PUBLIC_URL` one is made nevertheless, because the
 * caller chooses the URL and could name another agent of this wallet in the same store.
 */
function claimedWith(
  { payments }: Service,
  { key, authorization }: ProvenPayment,
  nowMs: number,
): JobClaim['payment'] {
  if (isBoundNonce(authorization.nonce) && payments?.executeUrl !== undefined) return undefined
  const untilMs = (Number(authorization.validBefore) + PAYMENT_CLAIM_MARGIN_SECONDS) * 1_000
  // An authorization that expired long ago is claimed when it was charged before and its job is delivered now (D40).
  return { key, keepMs: Math.max(untilMs - nowMs, PAYMENT_CLAIM_MARGIN_SECONDS * 1_000) }
}
