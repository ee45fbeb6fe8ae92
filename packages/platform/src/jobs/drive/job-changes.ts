import type { WholeAnswer } from '@farebox/client/internal/exchange/exchange'
import { isObject } from '@farebox/protocol/internal/guards/json'
import type { Outcome } from '@farebox/client/internal/attempt/read-outcome'
import { fairSeconds, secondsLeft } from '../../reputation/fair-deadline.ts'
import type { JobChanges } from '../records/change-job.ts'
import type { JobRow } from '../records/job-row.ts'
import { mergePaymentStatus, weigh, type AnswerState } from '../records/states.ts'
import type { ReceivedAnswer } from './ask-agent.ts'
import type { PaymentOnChain } from './read-payment-status.ts'

/** So many answers in a row that no agent gives: what answers is not the agent, and will not become it. */
const MAX_FOREIGN_ANSWERS = 12
/** What of an answer's headers is kept. */
const KEPT_HEADERS = ['content-type', 'payment-response', 'retry-after'] as const

/** What is new of a job by what came of a sending. */
export interface Sending {
  readonly heard: ReceivedAnswer
  /** When it began, in milliseconds. */
  readonly beganMs: number
  /** As `describeDelivery` has it; empty where nothing was delivered. */
  readonly delivery: JobChanges
}

/** What a sending changes of a job. */
export function changesBySending(
  known: JobRow,
  { heard, beganMs, delivery }: Sending,
  nowMs: number,
): JobChanges {
  const counted = { ...countSending(known, heard.outcome), ...witness(known, heard, beganMs) }
  const said = answerOf(heard.outcome)
  const answer = weigh(known.answer, said)
  if (answer === known.answer || answer !== said) return counted
  return {
    ...counted,
    answer,
    ...keptOf(heard.answer, answer),
    ...describeFailure(heard.outcome),
    ...delivery,
    ...lastWord(known, answer, nowMs),
  }
}

/** What a sending changes whose answer could not be written down: as one that no agent gives. */
export function changesByUnusable(known: JobRow, beganMs: number): JobChanges {
  const outcome = { kind: 'foreign', reason: 'it could not be written down' } as const
  return {
    ...countSending(known, outcome),
    ...witness(known, { answer: undefined, hasLeft: true }, beganMs),
  }
}

/** What the chain's word on its payment changes of a job. */
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

/** What the platform itself saw of a sending, for whoever judges the job later. */
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

/** The 503 of an agent that takes no work now: documented, with the time to come back. */
function isNotNow({ status, headers, json }: WholeAnswer): boolean {
  return status === 503 && headers.has('retry-after') && isObject(json) && json['status'] === 'failed'
}

function countSending(known: JobRow, outcome: Outcome): JobChanges {
  const foreignAnswers = isForeign(outcome) ? known.foreignAnswers + 1 : 0
  return {
    sendings: known.sendings + 1,
    foreignAnswers,
    // What is paid for and refused all the same will not come any more.
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

/** Nobody reads more of a refusal than its type and its words; the rest may have megabytes that nobody pays for. */
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
