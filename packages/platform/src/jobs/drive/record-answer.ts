import type { Answer } from '@farebox/client/internal/exchange/exchange'
import { isObject } from '@farebox/client/internal/exchange/parse-json'
import type { Outcome } from '@farebox/client/internal/attempt/read-outcome'
import { hashJson } from '@farebox/platform-api/receipt'
import type { Violation } from '@farebox/protocol/fields/compile'
import type { FieldMap, JsonObject } from '@farebox/protocol/fields/field'
import { CheckFailed } from '../../checking/checker.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import { readAgent } from '../../agents/read-agent.ts'
import { fairSeconds, secondsLeft } from '../../reputation/fair-deadline.ts'
import type { Heard } from './ask-agent.ts'
import { changeJob, type JobChanges } from '../records/change-job.ts'
import type { JobRow } from '../records/job-row.ts'
import type { PaymentOnChain } from './read-payment-status.ts'
import { mergePaymentStatus, weigh, type AgentAnswer } from '../records/states.ts'

/** So many answers in a row that no agent gives: whoever answers is not the agent, and will not become it. */
const MAX_FOREIGN_ANSWERS = 12
/** What of an answer's headers is kept. */
const KEPT_HEADERS = ['content-type', 'payment-response', 'retry-after'] as const

/** Writes down what came of a sending that began at `beganMs`, the bytes of a delivery included. */
export async function recordAnswer(
  parts: PlatformParts,
  job: JobRow,
  heard: Heard,
  beganMs: number,
): Promise<JobRow> {
  const delivery = await describeDelivery(parts, job, heard.outcome)
  const nowMs = parts.clock.nowMs()
  return await changeJob(parts.database, job, nowMs, known => {
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
  })
}

/**
 * Counts a sending whose answer could not be written down, as one that no agent gives: whoever gives it again and again
 * is not asked for ever.
 */
export async function recordUnusable(parts: PlatformParts, job: JobRow, beganMs: number): Promise<JobRow> {
  const outcome = { kind: 'foreign', reason: 'it could not be written down' } as const
  const nowMs = parts.clock.nowMs()
  return await changeJob(parts.database, job, nowMs, known => ({
    ...countSending(known, outcome),
    ...witness(known, { answer: undefined, hasLeft: true }, beganMs),
  }))
}

/** What the platform itself saw of a sending, for whoever judges the job later. */
function witness(
  known: JobRow,
  { answer, hasLeft }: Pick<Heard, 'answer' | 'hasLeft'>,
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
function isNotNow({ status, headers, json }: Answer): boolean {
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

/** Writes down what the chain says of a job's payment, whichever attempt it was seen in: there is one payment. */
export async function recordPaymentStatus(
  parts: PlatformParts,
  job: JobRow,
  onChain: PaymentOnChain,
): Promise<JobRow> {
  const nowMs = parts.clock.nowMs()
  return await changeJob(parts.database, { jobId: job.jobId }, nowMs, known => {
    const payment = mergePaymentStatus(known.payment, onChain.payment)
    if (payment === known.payment) return {}
    return payment === 'paid' && onChain.transaction !== undefined
      ? {
          payment,
          paidAtMs: nowMs,
          transaction: onChain.transaction,
          ...(onChain.blockNumber !== undefined && { blockNumber: Number(onChain.blockNumber) }),
        }
      : { payment }
  })
}

/** Writes down that the agent is not asked any more. */
export async function recordAskingOver(parts: PlatformParts, job: JobRow): Promise<JobRow> {
  return await changeJob(parts.database, job, parts.clock.nowMs(), () => ({ askingOver: true }))
}

function answerOf(outcome: Outcome): AgentAnswer {
  return outcome.kind === 'completed' || outcome.kind === 'failed' || outcome.kind === 'pending'
    ? outcome.kind
    : 'none'
}

function isForeign(outcome: Outcome): boolean {
  return outcome.kind === 'foreign' || outcome.kind === 'payment-required'
}

function lastWord({ orderedAtMs }: JobRow, answer: AgentAnswer, nowMs: number): JobChanges {
  return answer === 'completed' || answer === 'failed' ? { elapsedMs: nowMs - orderedAtMs } : {}
}

function describeFailure(outcome: Outcome): JobChanges {
  return outcome.kind === 'failed' ? { errorType: outcome.error.errorType, error: outcome.error.message } : {}
}

/** Nobody reads more of a refusal than its type and its words; the rest may have megabytes that nobody pays for. */
function keptOf(answer: Answer | undefined, said: AgentAnswer): JobChanges {
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

async function describeDelivery(parts: PlatformParts, job: JobRow, outcome: Outcome): Promise<JobChanges> {
  if (outcome.kind !== 'completed') return {}
  const agent = await readAgent(parts.database, job.agentId)
  const fields = agent?.declaration?.capabilities[job.capability]?.output_schema
  const violation = fields && (await checkOutput(parts, job, fields, outcome.output))
  return {
    outputHash: await hashJson(outcome.output),
    ...(outcome.completedAt !== undefined &&
      isTime(outcome.completedAt) && { completedAt: outcome.completedAt }),
    ...(violation && { outputProblem: `${violation.field}: ${violation.reason}` }),
  }
}

/** What cannot be checked is not held against its agent: it is paid, and its payer has it. */
async function checkOutput(
  { checker, log }: PlatformParts,
  { agentId, jobId }: JobRow,
  fields: FieldMap,
  output: JsonObject,
): Promise<Violation | undefined> {
  try {
    return await checker.run('output', { fields: JSON.stringify(fields), output }, `agent ${agentId}`)
  } catch (error) {
    if (!(error instanceof CheckFailed)) throw error
    log.warn('output not checked', { job: jobId, agent: agentId, reason: error.message })
    return undefined
  }
}

/** A number from an agent that a date can be made of. */
function isTime(seconds: number): boolean {
  return seconds >= 0 && seconds < 1e11
}
