import { MAX_RESPONSE_BYTES } from '@farebox/protocol/limits'
import { sleep } from '@farebox/protocol/time/clock'
import { AgentUnreachable } from '../exchange/agent-errors.ts'
import { backOffMs } from '../exchange/back-off.ts'
import type { Connection } from '../exchange/client-options.ts'
import { exchange, type WholeAnswer } from '../exchange/exchange.ts'
import type { ReadEntry } from './journal-entry.ts'
import { withAttempt, type PaidAttempt } from './paid-attempt.ts'
import { PaymentUnresolved } from './payment-unresolved.ts'
import { readOutcome, type Completed, type Outcome } from './read-outcome.ts'
import { readSettlement } from './read-settlement.ts'

/** The completed job, and the response that reported it. */
export interface PaidAnswer {
  readonly completed: Completed
  readonly answer: WholeAnswer
}

/** D37: the time that a call may take beyond its deadline. */
export const ANSWER_MARGIN_SECONDS = 30

/** After this many consecutive responses that no agent sends, the server counts as not being the agent. */
const MAX_FOREIGN_ANSWERS = 4

/**
 * An agent resolves a pending payment by `validBefore` plus finality (D8); the last request is sent this long after that.
 */
const LAST_ASK_MARGIN_SECONDS = 10

/**
 * Sends a job with its payment, and repeats the same bytes with the same header until the agent responds (D8, D22).
 * Repeating a pair charges nothing more than sending it once; a second signature could, so none is made.
 *
 * @returns the completed job
 * @throws {ServiceError} one of the five typed errors, when the agent reports it; `attemptOf` returns the sent
 *   payment
 * @throws {PaymentUnresolved} when there is no response until the payment has expired, when something other than
 *   the agent responds, or when the caller's signal aborted
 */
export async function repeatUntilAnswered(connection: Connection, pair: ReadEntry): Promise<PaidAnswer> {
  const { clock, signal } = connection
  const chargeableUntil = Number(pair.authorization.validBefore) + pair.network.finalitySeconds
  const lastAskMs = (chargeableUntil + LAST_ASK_MARGIN_SECONDS) * 1_000
  let unanswered = 0
  let foreign = 0
  const attempt = (answer?: WholeAnswer): PaidAttempt => ({
    entry: pair.entry,
    network: pair.network,
    authorization: pair.authorization,
    chargeableUntil,
    unanswered,
    settlement: answer && readSettlement(answer.headers),
  })
  for (let repeats = 0; ; repeats += 1) {
    const { outcome, answer, cause } = await ask(connection, pair)
    if (outcome.kind === 'completed' && answer !== undefined) return { completed: outcome, answer }
    if (outcome.kind === 'failed') throw withAttempt(outcome.error, attempt(answer))
    if (outcome.kind !== 'pending') unanswered += 1
    foreign = isForeign(outcome) ? foreign + 1 : 0
    const reason = reasonOf(outcome)
    const unresolved = (why: string, cause: unknown): PaymentUnresolved =>
      new PaymentUnresolved(attempt(answer), why, { cause })
    if (foreign === MAX_FOREIGN_ANSWERS) throw unresolved(`what answers is not the agent: ${reason}`, cause)
    const leftMs = lastAskMs - clock.nowMs()
    if (leftMs <= 0) throw unresolved(`the agent gave no answer in time: ${reason}`, cause)
    await sleep(clock, Math.min(backOffMs(clock, answer?.headers, repeats), leftMs), signal)
    if (signal?.aborted === true)
      throw unresolved('the call was aborted after its payment had been sent', signal.reason)
  }
}

interface Reply {
  readonly outcome: Outcome
  /** Undefined when there was no response. */
  readonly answer?: WholeAnswer
  /** The reason when there was no response. */
  readonly cause?: unknown
}

async function ask(connection: Connection, { entry, deadline }: ReadEntry): Promise<Reply> {
  const leftSeconds = Math.max(0, deadline - connection.clock.nowMs() / 1_000)
  try {
    const answer = await exchange(connection, {
      url: `${entry.agentUrl}/execute`,
      method: 'POST',
      headers: { 'content-type': 'application/json', 'payment-signature': entry.header },
      body: entry.body,
      timeoutMs: Math.ceil(leftSeconds + ANSWER_MARGIN_SECONDS) * 1_000,
      maxBytes: MAX_RESPONSE_BYTES,
    })
    return { outcome: readOutcome(answer, entry.jobId), answer }
  } catch (cause) {
    const reason = cause instanceof AgentUnreachable ? cause.message : 'no answer'
    return { outcome: { kind: 'unavailable', reason }, cause }
  }
}

/** A 402 for the payment that was just sent is not a response of the agent: the server has not seen the payment. */
function isForeign(outcome: Outcome): boolean {
  return outcome.kind === 'foreign' || outcome.kind === 'payment-required'
}

function reasonOf(outcome: Outcome): string {
  if (outcome.kind === 'payment-required') return 'HTTP 402 asks for a payment although one was sent'
  return 'reason' in outcome ? outcome.reason : 'the payment is still pending'
}
