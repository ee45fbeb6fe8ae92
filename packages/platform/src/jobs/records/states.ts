/** As the column `state` has it (D35). */
export type JobState = 'sent' | 'pending' | 'completed' | 'failed' | 'expired'

/** What an agent has said of a job so far. `pending` is its 503 while money may move (D8). */
export type AnswerState = 'none' | 'pending' | 'failed' | 'completed'

/** What the chain says of a payment. `open`: not used so far, and still usable; `dead`: it can never pay this job. */
export type PaymentStatus = 'open' | 'paid' | 'dead'

/** All that the state of a job follows from. */
export interface JobFacts {
  readonly answer: AnswerState
  readonly payment: PaymentStatus
  /** `max_deadline_seconds` have passed since it was sent. */
  readonly isOverdue: boolean
  /** It was marked expired before. */
  readonly hasExpired: boolean
}

/**
 * The state of a job (D35, D8, FLOW-09): decided by the chain and by what the agent said, whichever came first.
 *
 * What the agent delivered counts as completed once the transfer is proven; until then money may move, and where it is
 * certain that there will be none, the job stays expired. Nothing is called failed but what the agent itself called so,
 * while it was waited for: what has expired is completed by a proof, and otherwise stays so (D35).
 */
export function stateOf({ answer, payment, isOverdue, hasExpired }: JobFacts): JobState {
  if (answer === 'failed' && !hasExpired) return 'failed'
  // D35: a proven transfer completes a job whose answer got lost.
  if (payment === 'paid') return 'completed'
  if (hasExpired) return 'expired'
  // An agent answers when it was paid (D7): what it gives without is shown to its caller and proves nothing.
  if (answer === 'completed') return payment === 'open' ? 'pending' : 'expired'
  if (payment === 'open' && answer === 'pending') return 'pending'
  if (isOverdue) return 'expired'
  return answer === 'pending' ? 'pending' : 'sent'
}

/**
 * Whether the payer was charged; null while that is not known: the agent has not said no, and the payment can still be
 * used (D8).
 */
export function isCharged({ answer, payment }: Pick<JobFacts, 'answer' | 'payment'>): boolean | null {
  if (payment === 'paid') return true
  return payment === 'dead' || answer === 'failed' ? false : null
}

const WEIGHT: { readonly [answer in AnswerState]: number } = { none: 0, pending: 1, failed: 2, completed: 3 }

/**
 * What is known of the agent's answer after another one: a delivery is never taken back, and what it refused is only
 * mended by a delivery.
 */
export function weigh(known: AnswerState, heard: AnswerState): AnswerState {
  return WEIGHT[heard] > WEIGHT[known] ? heard : known
}

/** What is known of a payment after another check: the chain's proof of a transfer stands against everything else. */
export function mergePaymentStatus(known: PaymentStatus, seen: PaymentStatus): PaymentStatus {
  if (known === 'paid' || seen === 'paid') return 'paid'
  return known === 'dead' ? 'dead' : seen
}
