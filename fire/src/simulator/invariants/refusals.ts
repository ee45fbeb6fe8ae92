import { CHARGE_COUNTS_SECONDS } from '@farebox/protocol/limits'
import { PROBE } from '../history/probe-everything.ts'
import { capabilityOf, deadlineOf, type Send } from '../records/send-records.ts'
import { isMovedByUs, SEEN_AFTER_MS, wasForgotten, type Evidence } from './verdict.ts'

// Rules of refusals.

/** Statuses that mean that nothing was charged. */
const REFUSALS: ReadonlySet<number> = new Set([400, 402, 408, 500])

/** The answer to a caller that joined a run with an earlier deadline than the run's (D23): it says so. */
const JOINED_TOO_SHORT = 'an earlier request for this job is still running'

/**
 * I5: 400, 402, 408 and 500 mean that nothing was charged, and that nothing will be, for a caller that has no other
 * request for the same job and payment in progress, and makes none afterwards. Payments recorded as refused while a
 * facilitator had lost their pending transaction are left out.
 */
export function* failureIsFree(evidence: Evidence): Iterable<string> {
  const { world } = evidence
  for (const [job, history] of world.jobs.all()) {
    // A store cannot report a record that it lost.
    if (history.hasLostWrites) continue
    for (const payment of new Set(history.saved.map(saved => saved.payment))) {
      if (!isMovedByUs(evidence, payment)) continue
      if (wasForgotten(evidence, payment, history.refusedMs.get(payment))) continue
      const claimedMs = history.saved.findLast(saved => saved.payment === payment)?.claimedMs ?? 0
      const sends = world.sends.all().filter(send => send.job === job && send.payment === payment)
      for (const send of sends) {
        if (!isLie(send, sends, claimedMs)) continue
        yield `${job} was answered ${send.seen?.status} ${send.seen?.text}, but ${payment} was charged for it`
      }
    }
  }
}

function isLie(send: Send, sends: readonly Send[], claimedMs: number): boolean {
  const { seen } = send
  if (seen === undefined || !REFUSALS.has(seen.status) || send.isForged) return false
  // A failure is not stored, so that the same call may be repeated: a later claim starts the job again.
  if (claimedMs >= seen.saidMs && send.caller !== PROBE) return false
  const isShorter = (): boolean => sends.some(other => deadlineOf(other) > deadlineOf(send))
  if (seen.text.includes(JOINED_TOO_SHORT) && isShorter()) return false
  return !sends.some(other => other !== send && isOpenAt(other, seen.saidMs))
}

/** Its caller was still waiting for an answer at that time. */
function isOpenAt({ sentMs, seen, givenUpMs }: Send, atMs: number): boolean {
  if (sentMs > atMs) return false
  const endedMs = Math.min(seen?.heardMs ?? Number.POSITIVE_INFINITY, givenUpMs ?? Number.POSITIVE_INFINITY)
  return endedMs > atMs
}

/** Clocks and block times differ. */
const SLACK_MS = 10_000

/**
 * D40: a charged payment whose nonce names its job is not refused within ten minutes of its block, whatever the agent's
 * store has lost. The job may have run again for it: that is the exception to I6.
 *
 * If two payers paid for a job_id after its record was lost, it belongs to the payer whose payment is in the record. A
 * payment that the agent recorded as refused, while the facilitator had lost a pending transaction, stays refused.
 */
export function* chargedIsDelivered(evidence: Evidence): Iterable<string> {
  const { world, onChain } = evidence
  const sends = world.sends.all()
  for (const send of sends) {
    const { seen, job, payment } = send
    if (seen === undefined || payment === undefined || !REFUSALS.has(seen.status) || send.isForged) continue
    if (world.boundTo.get(payment) !== job || !isMovedByUs(evidence, payment)) continue
    const ageMs = seen.saidMs - (onChain.get(payment)?.minedMs ?? 0)
    if (ageMs < SEEN_AFTER_MS || ageMs > CHARGE_COUNTS_SECONDS * 1_000 - SLACK_MS) continue
    if (wasForgotten(evidence, payment, world.jobs.of(job).refusedMs.get(payment))) continue
    if (isOfSeveralJobs(sends, send) || hasOtherBuyer(evidence, send)) continue
    yield `${payment} was charged for ${job}, which was answered ${seen.status} ${seen.text}`
  }
}

/** The payment was sent with several jobs: the nonce names one of them. */
function isOfSeveralJobs(sends: readonly Send[], { job, payment, body }: Send): boolean {
  const capability = capabilityOf(body)
  return sends.some(
    other => other.payment === payment && (other.job !== job || capabilityOf(other.body) !== capability),
  )
}

/** The agent finds the other payment's transaction on the chain, regardless of its sender, and the job is sold. */
function hasOtherBuyer(evidence: Evidence, { job, payer }: Send): boolean {
  const { world } = evidence
  return world.sends
    .all()
    .some(other => other.job === job && other.payer !== payer && evidence.onChain.has(other.payment ?? ''))
}
