import { RESPONSE_KEPT_SECONDS } from '@farebox/protocol/limits'

/**
 * The cause of a failed job. Only `agent` counts against the agent. The others do not: the order left too little time
 * (`deadline`), the payer could not pay, the agent does not accept such orders (`refused`), a shared dependency was
 * unavailable (`outage`), or the platform did not observe the job (`unseen`).
 */
export type JobFault = 'agent' | 'deadline' | 'payer' | 'refused' | 'outage' | 'unseen'

/** The facts about a failed job that are stored in the database. */
export interface FailedJob {
  readonly state: string
  /** The agent's answer, including one given after the job had expired. */
  readonly answer: string
  readonly errorType: string | undefined
  readonly chargedWithoutDelivery: boolean
  /** Whether its payment names this job (D13). */
  readonly isPaymentBound: boolean
  /** When the job was ordered or last retried. */
  readonly orderedAtMs: number
  /** When the first attempt that was observed until its end began; undefined when there was none. */
  readonly firstAskedAtMs: number | undefined
  /** Whether one of those attempts left the agent its fair time. */
  readonly hadFairTime: boolean
  /** Whether the newest attempt was answered "not now": with 503, Retry-After and a failure. */
  readonly isPutOff: boolean
  /** Whether the order itself left the agent its fair time. */
  readonly isOrderFair: boolean
}

/** Facts about the time of the job from other sources. */
export interface Witnesses {
  /** Whether the facilitator, the node or this platform was unavailable while the job ran, or is now. */
  sawDependencyOutage(): Promise<boolean>
  /** Whether the payer's balance and authorization suffice now; undefined when the node does not respond. */
  couldPay(): Promise<boolean | undefined>
}

/**
 * Judges a job that failed, expired, or was charged without a delivery (D43). Neither the agent's nor the caller's
 * statements decide, but the times at which the platform sent requests, the responses it received, and the data of the
 * chain and the facilitator.
 *
 * - Charged without delivery: the agent's fault regardless of the deadline. There are two exceptions: the platform
 *   first asked for the result when the agent might already have deleted the response, or the agent refused a payment
 *   that is not bound to a job, because its payer may have sent the same payment to the agent with another job and
 *   received its result.
 * - The agent refused the order (`validation`, `capability`, `payment`, 401, or "not now" until the deadline): nobody's
 *   fault, because payers could cause such refusals at will.
 * - `internal`, `deadline` and no response: the agent's fault if it had its fair time, no shared dependency was
 *   unavailable, and, after a failure, the payer could still pay.
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
  if (!wasSeenInTime(job)) return 'unseen'
  const isRefusal = job.answer === 'failed' && job.errorType === 'payment'
  return isRefusal && !job.isPaymentBound ? 'refused' : 'agent'
}

/**
 * Nothing is charged before the job is ordered, so the agent keeps the response at least until this time after the
 * order (D24).
 */
function wasSeenInTime({ firstAskedAtMs, orderedAtMs }: FailedJob): boolean {
  return firstAskedAtMs !== undefined && firstAskedAtMs <= orderedAtMs + RESPONSE_KEPT_SECONDS * 1_000
}
