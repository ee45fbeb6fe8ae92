/** The values of the column `state` (D35). */
export type JobState = 'sent' | 'pending' | 'completed' | 'failed' | 'expired'

/** The agent's answer to a job so far. `pending`: its 503 while the payment may be settling (D8). */
export type AnswerState = 'none' | 'pending' | 'failed' | 'completed'

/** The state of a payment on the chain. `open`: not used so far and still usable; `dead`: can never pay this job. */
export type PaymentStatus = 'open' | 'paid' | 'dead'

/** The facts that determine the state of a job. */
export interface JobFacts {
  readonly answer: AnswerState
  readonly payment: PaymentStatus
  /** Whether `max_deadline_seconds` have passed since it was sent. */
  readonly isOverdue: boolean
  /** Whether it was marked expired before. */
  readonly hasExpired: boolean
}

/**
 * The state of a job (D35, D8, FLOW-09). It follows from the chain and the agent's answer, in either order of their
 * arrival.
 *
 * A delivery counts as completed once the transfer is proven. Until then the job is pending, and when it is certain that
 * there will be no transfer, the job is expired. A job is failed only when the agent itself answered so before the job
 * expired; an expired job can only become completed, by a proven transfer (D35).
 */
export function stateOf({ answer, payment, isOverdue, hasExpired }: JobFacts): JobState {
  if (answer === 'failed' && !hasExpired) return 'failed'
  // D35: a proven transfer completes a job whose answer was lost.
  if (payment === 'paid') return 'completed'
  if (hasExpired) return 'expired'
  // An agent answers after it was paid (D7). An output without payment is shown to its caller but proves nothing.
  if (answer === 'completed') return payment === 'open' ? 'pending' : 'expired'
  if (payment === 'open' && answer === 'pending') return 'pending'
  if (isOverdue) return 'expired'
  return answer === 'pending' ? 'pending' : 'sent'
}

/**
 * Whether the payer was charged; null while that is not known, because the agent has not refused and the payment can still
 * be used (D8).
 */
export function isCharged({ answer, payment }: Pick<JobFacts, 'answer' | 'payment'>): boolean | null {
  if (payment === 'paid') return true
  return payment === 'dead' || answer === 'failed' ? false : null
}

const WEIGHT: { readonly [answer in AnswerState]: number } = { none: 0, pending: 1, failed: 2, completed: 3 }

/** The known answer after a new one: a delivery is never revoked, and a refusal is replaced only by a delivery. */
export function weigh(known: AnswerState, received: AnswerState): AnswerState {
  return WEIGHT[received] > WEIGHT[known] ? received : known
}

/** The known payment status after another check: a proven transfer overrides everything else. */
export function mergePaymentStatus(known: PaymentStatus, seen: PaymentStatus): PaymentStatus {
  if (known === 'paid' || seen === 'paid') return 'paid'
  return known === 'dead' ? 'dead' : seen
}
