import { RESPONSE_KEPT_SECONDS } from '@farebox/protocol/limits'
import { findNetwork } from '@farebox/payments/networks'
import type { JobRow } from '../records/job-row.ts'

/** What is left to be done for a job. */
export interface Plan {
  /** Send the same bytes again (D8). */
  readonly ask: boolean
  /** See what became of the payment. */
  readonly seeChain: boolean
}

/** So long after the payment is dead the agent may still be finishing (D8). */
const LAST_ASK_MARGIN_SECONDS = 10
/** A node whose head stands still proves nothing; some day nobody waits for it any more. */
const CHAIN_WATCHED_MS = 7 * 86_400_000

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 60_000
const LONGEST_CHAIN_WAIT_MS = 3_600_000
/** Within this time after an agent refused a payment, a transfer that it knew of is in a block. */
const REFUSED_PAYMENT_WAIT_MS = 10_000

/**
 * What is to be done now. A job is asked for until it is answered: at the latest until its payment is dead, or, where
 * it was paid and not delivered, for as long as an agent keeps a paid response (D24). Its payment is watched until it
 * was used or cannot be used any more, whatever the agent has said (FLOW-08): again and again where the agent has worked
 * on it, and once, at its end, where it took no such order or the payment never left. What an agent refused as a payment
 * is looked at ten seconds later as well: it may just have been used for another job. Payments signed for nothing cost
 * three checks each.
 */
export function planJob(job: JobRow, nowMs: number): Plan {
  return { ask: wantsAsking(job, nowMs), seeChain: wantsChain(job, nowMs) }
}

/**
 * When the job is due again, in milliseconds since 1970; undefined where nothing is left to be done.
 *
 * @param retryAfterMs what the agent wished for with its last answer
 */
export function planNextDueMs(job: JobRow, nowMs: number, retryAfterMs?: number): number | undefined {
  const { ask, seeChain } = planJob(job, nowMs)
  if (ask) return nowMs + waitMs(job, retryAfterMs)
  if (job.payment !== 'open' || !mayStillBeSeen(job, nowMs)) return undefined
  // The longer nothing has happened, the seldomer; but soon after the moment from which there is certainty.
  const sinceMs = nowMs - job.orderedAtMs - (job.elapsedMs ?? 0)
  const pace = job.answer === 'failed' ? 1 : 1 / 4
  const later = nowMs + Math.min(Math.max(sinceMs * pace, FIRST_WAIT_MS), LONGEST_CHAIN_WAIT_MS)
  const certainMs = usableUntil(job) * 1_000 + FIRST_WAIT_MS
  if (nowMs >= certainMs) return later
  if (job.answer === 'failed' && job.errorType === 'payment' && sinceMs < REFUSED_PAYMENT_WAIT_MS)
    return Math.min(nowMs + REFUSED_PAYMENT_WAIT_MS, certainMs)
  return seeChain && !wasRefused(job) ? Math.min(later, certainMs) : certainMs
}

/** Unix seconds from which on the chain takes the job's authorization no more, whatever reorganisation comes (D8). */
export function usableUntil({
  authorization,
  network,
}: Pick<JobRow, 'network'> & {
  readonly authorization: Pick<JobRow['authorization'], 'validBefore'>
}): number {
  return Number(authorization.validBefore) + (findNetwork(network)?.finalitySeconds ?? 0)
}

function wantsAsking(job: JobRow, nowMs: number): boolean {
  if (job.askingOver || job.contentsDeletedAtMs !== undefined || job.sealedPayment === undefined) return false
  if (job.answer === 'completed') return false
  if (job.payment === 'paid') return nowMs <= (job.paidAtMs ?? nowMs) + RESPONSE_KEPT_SECONDS * 1_000
  if (job.payment === 'dead' && nowMs >= job.expiresAtMs) return false
  const lastAskMs = (usableUntil(job) + LAST_ASK_MARGIN_SECONDS) * 1_000
  return job.answer !== 'failed' && nowMs <= Math.max(lastAskMs, job.expiresAtMs)
}

function wantsChain(job: JobRow, nowMs: number): boolean {
  const isDue = job.hasLeft || nowMs >= usableUntil(job) * 1_000
  return job.payment === 'open' && isDue && mayStillBeSeen(job, nowMs)
}

/** The agent did not take the order: it has nothing to charge for, and where it does, that is found at the end. */
function wasRefused({ answer, errorType }: JobRow): boolean {
  return answer === 'failed' && errorType !== 'internal' && errorType !== 'deadline'
}

function mayStillBeSeen(job: JobRow, nowMs: number): boolean {
  return nowMs <= usableUntil(job) * 1_000 + CHAIN_WATCHED_MS
}

/** No agent's wish puts the next try off for longer than a minute. */
function waitMs(job: JobRow, retryAfterMs: number | undefined): number {
  const backoffMs = FIRST_WAIT_MS * 2 ** Math.min(Math.max(job.sendings - 1, 0), 10)
  return Math.min(Math.max(retryAfterMs ?? backoffMs, FIRST_WAIT_MS), LONGEST_WAIT_MS)
}
