import { CHARGE_COUNTS_SECONDS } from '@farebox/protocol/limits'
import { capabilityOf, type Send } from '../records/send-records.ts'
import { isMovedByUs, SEEN_AFTER_MS, wasForgottenInFlight, type Evidence, type Violation } from './verdict.ts'

const REFUSALS: ReadonlySet<number> = new Set([400, 402, 408, 500])

/** Clocks and block times differ. */
const SLACK_MS = 10_000

/**
 * D40: a payment whose nonce names its job, and that was charged, is not refused within ten minutes of its block,
 * whatever the agent's store has forgotten. The job may have run again for it: that is the exception to I6.
 *
 * Where a job_id was paid for by two payers after its record was lost, it is the one's whose payment is in the record. What
 * the agent wrote down as refused, while the facilitator had forgotten a transaction on its way, stays refused.
 */
export function* chargedIsDelivered(evidence: Evidence): Iterable<Violation> {
  const { world, onChain } = evidence
  const sends = world.sends.all()
  for (const send of sends) {
    const { seen, job, payment } = send
    if (seen === undefined || payment === undefined || !REFUSALS.has(seen.status) || send.isForged) continue
    if (world.boundTo.get(payment) !== job || !isMovedByUs(evidence, payment)) continue
    const ageMs = seen.saidMs - (onChain.get(payment)?.minedMs ?? 0)
    if (ageMs < SEEN_AFTER_MS || ageMs > CHARGE_COUNTS_SECONDS * 1_000 - SLACK_MS) continue
    if (wasForgottenInFlight(evidence, payment, world.jobs.of(job).refusedMs.get(payment))) continue
    if (isOfSeveralJobs(sends, send) || hasOtherBuyer(evidence, send)) continue
    yield {
      invariant: 'D40',
      message: `${payment} was charged for ${job}, which was answered ${seen.status} ${seen.text}`,
    }
  }
}

/** The payment was sent with several jobs: the nonce names one of them. */
function isOfSeveralJobs(sends: readonly Send[], { job, payment, body }: Send): boolean {
  const capability = capabilityOf(body)
  return sends.some(
    other => other.payment === payment && (other.job !== job || capabilityOf(other.body) !== capability),
  )
}

function hasOtherBuyer(evidence: Evidence, { job, payer }: Send): boolean {
  const { world } = evidence
  return world.sends
    .all()
    .some(other => other.job === job && other.payer !== payer && isMovedByUs(evidence, other.payment ?? ''))
}
