import { RESPONSE_KEPT_SECONDS } from '@farebox/protocol/limits'

/**
 * Whose fault it was that a job came to nothing. `agent` counts against the agent; the others are left out: the order left
 * too little time, the payer could not pay, the agent took no such order, something that both rely on was away, or this
 * platform was not there to see it.
 */
export type JobFault = 'agent' | 'deadline' | 'payer' | 'refused' | 'outage' | 'unseen'

/** What of a job that came to nothing is known without asking anybody. */
export interface FailedJob {
  readonly state: string
  /** What the agent said of it, also where it said so after the job had expired. */
  readonly answer: string
  readonly errorType: string | undefined
  readonly chargedWithoutDelivery: boolean
  /** Its payment names this job (D13). */
  readonly isPaymentBound: boolean
  /** When it was ordered, or last retried. */
  readonly orderedAtMs: number
  /** When the first sending began that was seen to its end. */
  readonly firstAskedAtMs: number | undefined
  /** One of those left the agent its fair time. */
  readonly hadFairTime: boolean
  /** The newest was answered "not now": 503, Retry-After, a failure. */
  readonly isPutOff: boolean
  /** The order itself left the agent its fair time. */
  readonly isOrderFair: boolean
}

/** What others say of the time of the job. */
export interface Witnesses {
  /** Facilitator, node or this platform was away while the job ran, or is now. */
  sawDependencyOutage(): Promise<boolean>
  /** The payer's balance and authorization, now; undefined where the node does not say. */
  couldPay(): Promise<boolean | undefined>
}

/**
 * Judges a job that failed, expired, or was charged without a delivery (D43). Neither the agent's words nor the caller's
 * decide: what counts is when the platform sent what, what it heard, and what chain and facilitator say.
 *
 * - Charged and not delivered: the agent's, whatever the deadline, unless the platform first came to listen when the
 *   agent might have forgotten the response, or the agent refused a payment that is bound to no job: its payer can have
 *   sent the same payment to the agent with another job, and have got what it was charged for.
 * - A refusal of the order (`validation`, `capability`, `payment`, 401, or "not now" for all of its time) is nobody's
 *   failure: payers could make an agent refuse at will.
 * - `internal`, `deadline` and no answer are the agent's where it had its fair time, nothing that both rely on was away,
 *   and the payer, after a failure, could still pay.
 */
export async function judgeFault(job: FailedJob, witnesses: Witnesses): Promise<JobFault> {
  if (job.chargedWithoutDelivery) return judgeCharge(job)
  const isFailure = job.state === 'failed'
  if (isFailure && job.errorType !== 'internal' && job.errorType !== 'deadline') return 'refused'
  if (!job.hadFairTime) return job.isOrderFair ? 'unseen' : 'deadline'
  if (!isFailure && job.isPutOff) return 'refused'
  if (await witnesses.sawDependencyOutage()) return 'outage'
  if (!isFailure) return 'agent'
  const couldPay = await witnesses.couldPay()
  if (couldPay === undefined) return 'outage'
  return couldPay ? 'agent' : 'payer'
}

function judgeCharge(job: FailedJob): JobFault {
  if (!wasHeardInTime(job)) return 'unseen'
  const isRefusal = job.answer === 'failed' && job.errorType === 'payment'
  return isRefusal && !job.isPaymentBound ? 'refused' : 'agent'
}

/** Nothing is charged before the job was ordered, so until then the agent certainly kept what it delivered (D24). */
function wasHeardInTime({ firstAskedAtMs, orderedAtMs }: FailedJob): boolean {
  return firstAskedAtMs !== undefined && firstAskedAtMs <= orderedAtMs + RESPONSE_KEPT_SECONDS * 1_000
}
