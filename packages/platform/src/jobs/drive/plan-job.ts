import { RESPONSE_KEPT_SECONDS } from '@farebox/protocol/limits'
import { findNetwork } from '@farebox/payments/networks'
import type { JobRow } from '../records/job-row.ts'

/** The work that is left for a job. */
export interface Plan {
  /** Send the same bytes again (D8). */
  readonly ask: boolean
  /** Check the payment on the chain. */
  readonly seeChain: boolean
}

/** How long after the end of the payment the agent may still be finishing the job (D8). */
const LAST_ASK_MARGIN_SECONDS = 10
/**
 * How long an open payment is watched after its end. A node whose head does not advance proves nothing, so the limit ends
 * the waiting.
 */
const CHAIN_WATCHED_MS = 7 * 86_400_000

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 60_000
const LONGEST_CHAIN_WAIT_MS = 3_600_000
/** A transfer that an agent knew of when it refused a payment is in a block within this time. */
const REFUSED_PAYMENT_WAIT_MS = 10_000

/**
 * The work that is due now. The agent is asked until it has answered: at the latest until its payment is dead, or, when it
 * was paid and not delivered, for as long as an agent keeps a paid response (D24). The payment is watched until it was used
 * or can no longer be used, whatever the agent has said (FLOW-08). It is checked repeatedly when the agent worked on the
 * job, and once, at its end, when the agent did not take the order or the payment never left. A payment that the agent
 * refused is also checked after ten seconds, because it may just have been used for another job. A payment signed for
 * nothing therefore costs three checks.
 */
export function planJob(job: JobRow, nowMs: number): Plan {
  return { ask: wantsAsking(job, nowMs), seeChain: wantsChain(job, nowMs) }
}

/**
 * When the job is due again, in Unix milliseconds; `undefined` when no work is left.
 *
 * @param retryAfterMs the delay the agent asked for with its last answer
 */
export function planNextDueMs(job: JobRow, nowMs: number, retryAfterMs?: number): number | undefined {
  const { ask, seeChain } = planJob(job, nowMs)
  if (ask) return nowMs + waitMs(job, retryAfterMs)
  if (job.payment !== 'open' || !mayStillBeSeen(job, nowMs)) return undefined
  // Checks become less frequent while nothing happens, but one follows soon after the time from which the result is
  // certain.
  const sinceMs = nowMs - job.orderedAtMs - (job.elapsedMs ?? 0)
  const pace = job.answer === 'failed' ? 1 : 1 / 4
  const later = nowMs + Math.min(Math.max(sinceMs * pace, FIRST_WAIT_MS), LONGEST_CHAIN_WAIT_MS)
  const certainMs = usableUntil(job) * 1_000 + FIRST_WAIT_MS
  if (nowMs >= certainMs) return later
  if (job.answer === 'failed' && job.errorType === 'payment' && sinceMs < REFUSED_PAYMENT_WAIT_MS)
    return Math.min(nowMs + REFUSED_PAYMENT_WAIT_MS, certainMs)
  return seeChain && !wasRefused(job) ? Math.min(later, certainMs) : certainMs
}

/** The Unix seconds after which the chain no longer accepts the job's authorization, even after a reorganisation (D8). */
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

/** Whether the agent did not take the order. It then has no reason to charge; if it does, the check at the end finds it. */
function wasRefused({ answer, errorType }: JobRow): boolean {
  return answer === 'failed' && errorType !== 'internal' && errorType !== 'deadline'
}

function mayStillBeSeen(job: JobRow, nowMs: number): boolean {
  return nowMs <= usableUntil(job) * 1_000 + CHAIN_WATCHED_MS
}

/** The wait before the next attempt; an agent cannot delay it by more than a minute. */
function waitMs(job: JobRow, retryAfterMs: number | undefined): number {
  const backoffMs = FIRST_WAIT_MS * 2 ** Math.min(Math.max(job.sendings - 1, 0), 10)
  return Math.min(Math.max(retryAfterMs ?? backoffMs, FIRST_WAIT_MS), LONGEST_WAIT_MS)
}
