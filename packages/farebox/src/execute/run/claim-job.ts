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
 * Claims the job and its payment together, before anybody is asked and anything is run (D6): one authorization
 * buys one job over all replicas. A payment whose nonce names its job, and this agent, needs no claim of its own.
 *
 * Resolves to undefined where somebody else holds the job, or where it is not free to run any more: look again.
 * Throws a `PaymentError` where the payment is claimed for another job.
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
  const held = service.leases.hold(holder, outcome.job, askedMs)
  if (mayRun(outcome.job, order, payment)) return await renewRun(held, job)
  await leaveAsItIs(held)
  return undefined
}

/** What an earlier holder left may have changed since it was looked at: only what could be run then may be run now. */
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

/** A run taken over has its own deadline, which those who join it go by (decision 3). */
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

/** Claims a job whose holder died after its response was saved; its own payment comes with it. Undefined where held. */
export async function takeOverJob(
  service: Pick<Service, 'jobs' | 'leases' | 'clock'>,
  jobKey: string,
  left: Job,
): Promise<HeldJob | undefined> {
  const held = await claimLeft(service, jobKey, left)
  if (held === undefined || held.job.state === 'saved') return held
  // Somebody else saw it through meanwhile.
  await leaveAsItIs(held)
  return undefined
}

/**
 * Takes a job from a holder whose lease is over, so that it can charge nothing should it live after all: a run is
 * forgotten, a response for sale stays for sale. False where somebody else has the job by now: look again.
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

/** Claims what a holder left whose lease is over. Undefined where somebody holds it. */
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

/** False where the hold was lost, or nobody knows. */
async function leaveAsItIs(held: HeldJob): Promise<boolean> {
  const change = { kind: 'leave', job: held.job, sealed: false, keepMs: UNFINISHED_KEPT_MS } as const
  return await held.release(change).catch(() => false)
}

/**
 * What a payment's claim says. A bound nonce names its job, which was checked (D13): its signature is that claim already,
 * and no other job will ever be run for it. Without `SERVICE_PUBLIC_URL` it may name as well the job of another agent of
 * this wallet in the same store: the caller says by which URL an agent is called.
 */
function claimedWith(
  { payments }: Service,
  { key, authorization }: ProvenPayment,
  nowMs: number,
): JobClaim['payment'] {
  if (isBoundNonce(authorization.nonce) && payments?.executeUrl !== undefined) return undefined
  const untilMs = (Number(authorization.validBefore) + PAYMENT_CLAIM_MARGIN_SECONDS) * 1_000
  // One that expired long ago is claimed where it was charged before, and its job is delivered now (D40).
  return { key, keepMs: Math.max(untilMs - nowMs, PAYMENT_CLAIM_MARGIN_SECONDS * 1_000) }
}
