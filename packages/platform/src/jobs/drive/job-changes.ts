import type { WholeAnswer } from '@farebox/client/internal/exchange/exchange'
import { isObject } from '@farebox/protocol/internal/guards/json'
import type { Outcome } from '@farebox/client/internal/attempt/read-outcome'
import { fairSeconds, secondsLeft } from '../../reputation/fair-deadline.ts'
import type { JobChanges } from '../records/change-job.ts'
import type { JobRow } from '../records/job-row.ts'
import { mergePaymentStatus, weigh, type AnswerState } from '../records/states.ts'
import type { ReceivedAnswer } from './ask-agent.ts'
import type { PaymentOnChain } from './read-payment-status.ts'

/** The most answers in a row that do not follow the interface; after these the server is assumed not to be the agent. */
const MAX_FOREIGN_ANSWERS = 12
/** The headers of an answer that are stored. */
const KEPT_HEADERS = ['content-type', 'payment-response', 'retry-after'] as const

/** The result of one send, for computing the changes of a job. */
export interface Sending {
  readonly received: ReceivedAnswer
  /** When the send began, in Unix milliseconds. */
  readonly beganMs: number
  /** The result of `describeDelivery`; empty when nothing was delivered. */
  readonly delivery: JobChanges
}

/** The changes of a job after a send. */
export function changesBySending(
  known: JobRow,
  { received, beganMs, delivery }: Sending,
  nowMs: number,
): JobChanges {
  const counted = { ...countSending(known, received.outcome), ...witness(known, received, beganMs) }
  const said = answerOf(received.outcome)
  const answer = weigh(known.answer, said)
  if (answer === known.answer || answer !== said) return counted
  return {
    ...counted,
    answer,
    ...keptOf(received.answer, answer),
    ...describeFailure(received.outcome),
    ...delivery,
    ...lastWord(known, answer, nowMs),
  }
}

/** The changes after a send whose answer could not be stored: counted like an answer outside the interface. */
export function changesByUnusable(known: JobRow, beganMs: number): JobChanges {
  const outcome = { kind: 'foreign', reason: 'it could not be written down' } as const
  return {
    ...countSending(known, outcome),
    ...witness(known, { answer: undefined, hasLeft: true }, beganMs),
  }
}

/** The changes of a job after its payment was checked on the chain. */
export function changesByChain(
  known: JobRow,
  { payment: seen, transaction, blockNumber }: PaymentOnChain,
  nowMs: number,
): JobChanges {
  const payment = mergePaymentStatus(known.payment, seen)
  if (payment === known.payment) return {}
  if (payment !== 'paid' || transaction === undefined) return { payment }
  return {
    payment,
    paidAtMs: nowMs,
    transaction,
    ...(blockNumber !== undefined && { blockNumber: Number(blockNumber) }),
  }
}

/** The platform's own observations of a send, which are used to judge the job later. */
function witness(
  known: JobRow,
  { answer, hasLeft }: Pick<ReceivedAnswer, 'answer' | 'hasLeft'>,
  beganMs: number,
): JobChanges {
  const { deadline, authorization, maxDeadlineSeconds } = known
  const left = secondsLeft({ deadline, validBefore: Number(authorization.validBefore) }, beganMs)
  return {
    firstAskedAtMs: known.firstAskedAtMs ?? beganMs,
    hadFairTime: known.hadFairTime || left >= fairSeconds(maxDeadlineSeconds),
    hasLeft: known.hasLeft || hasLeft,
    isPutOff: answer !== undefined && isNotNow(answer),
  }
}

/** Whether this is the documented 503 of an agent that takes no work now, with the time to come back. */
function isNotNow({ status, headers, json }: WholeAnswer): boolean {
  return status === 503 && headers.has('retry-after') && isObject(json) && json['status'] === 'failed'
}

function countSending(known: JobRow, outcome: Outcome): JobChanges {
  const foreignAnswers = isForeign(outcome) ? known.foreignAnswers + 1 : 0
  return {
    sendings: known.sendings + 1,
    foreignAnswers,
    // A job that is paid and still refused will not be delivered any more.
    askingOver:
      known.askingOver ||
      foreignAnswers >= MAX_FOREIGN_ANSWERS ||
      (outcome.kind === 'failed' && known.payment === 'paid'),
  }
}

function answerOf(outcome: Outcome): AnswerState {
  return outcome.kind === 'completed' || outcome.kind === 'failed' || outcome.kind === 'pending'
    ? outcome.kind
    : 'none'
}

function isForeign(outcome: Outcome): boolean {
  return outcome.kind === 'foreign' || outcome.kind === 'payment-required'
}

function lastWord({ orderedAtMs }: JobRow, answer: AnswerState, nowMs: number): JobChanges {
  return answer === 'completed' || answer === 'failed' ? { elapsedMs: Math.max(0, nowMs - orderedAtMs) } : {}
}

function describeFailure(outcome: Outcome): JobChanges {
  return outcome.kind === 'failed' ? { errorType: outcome.error.errorType, error: outcome.error.message } : {}
}

/** Of a refusal only its type and message are stored; the body may have megabytes that were not paid for. */
function keptOf(answer: WholeAnswer | undefined, said: AnswerState): JobChanges {
  if (answer === undefined) return {}
  const headers = KEPT_HEADERS.flatMap(name => {
    const value = answer.headers.get(name)
    return value === null ? [] : [[name, value] as const]
  })
  return {
    responseStatus: answer.status,
    responseHeaders: Object.fromEntries(headers),
    ...(said === 'completed' && { responseBody: answer.text }),
  }
}
