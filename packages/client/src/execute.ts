import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { PaymentSigner } from '@farebox/payments/x402/sign-payment'
import type { JsonObject } from '@farebox/protocol/fields/field'
import { MAX_RESPONSE_BYTES } from '@farebox/protocol/limits'
import { readPrice } from '@farebox/protocol/money/usdc'
import { findCapability, meetAgent, type CalledAgent } from './agent/agent.ts'
import { UnusableAnswer } from './exchange/agent-errors.ts'
import { connectionOf, type ClientOptions, type Connection } from './exchange/client-options.ts'
import { exchangeUntil } from './exchange/exchange-until.ts'
import type { WholeAnswer } from './exchange/exchange.ts'
import { jobResult, type JobResult } from './attempt/job-result.ts'
import type { JournalEntry } from './attempt/journal-entry.ts'
import { jobBody, planJob, type PlannedJob } from './attempt/plan-job.ts'
import { readOutcome, type Completed } from './attempt/read-outcome.ts'
import { readQuote, type Quote } from './attempt/read-quote.ts'
import { ANSWER_MARGIN_SECONDS, repeatUntilAnswered } from './attempt/repeat-until-answered.ts'
import { signJob } from './attempt/sign-job.ts'

/** How a job is requested and paid. */
export interface ExecuteOptions extends ClientOptions {
  /** Signs the payment; a viem account fits. Without it only agents that ask for no payment can be called. */
  readonly signer?: PaymentSigner
  /** The highest price that may be paid, in decimal USDC; default `"1"`. */
  readonly maxPrice?: string
  /** How long the agent may work, from the signature of the payment on; default its `max_deadline_seconds`. */
  readonly deadlineSeconds?: number
  /** CAIP-2 ids of the networks that may be paid on; default: all known networks. */
  readonly networks?: readonly string[]
  /** UUID v4; default: a new one. Choose it when the job must be found again before there is a response. */
  readonly jobId?: string
  /**
   * Called with the job and its signed payment before they are sent for the first time, and awaited: after a crash, `resume`
   * continues from the journalled entry. If it rejects, or the call was aborted meanwhile, nothing is sent.
   */
  readonly journal?: (entry: JournalEntry) => void | Promise<void>
  /**
   * Called with the quote before it is signed, and awaited: a caller with a budget deducts the amount here. If it rejects,
   * or the call was aborted meanwhile, nothing is signed, and the call rejects with the same reason.
   */
  readonly approve?: (quote: Quote) => void | Promise<void>
  /** Loaded for the call when absent; callers with many calls load it once. */
  readonly crypto?: EvmCrypto
}

const DEFAULT_MAX_PRICE = '1'

/** The longest time for which an agent that is being restarted is asked again, whatever the deadline of the job. */
const LONGEST_REPEAT_MS = 60_000

/**
 * Calls a capability of an agent and pays for it, once.
 *
 * Sends the request without a payment, checks the agent's terms against its `/about`, the built-in table of tokens and
 * `maxPrice`, signs one payment that is valid for this job only (D13), journals it, and sends it until the agent responds.
 * After a lost response the same pair is sent again; nothing is ever signed twice. An agent in dev mode is not paid.
 *
 * @param agent base URL, or `{ url, declaration }` with an earlier declaration that the agent must meet
 * @param input the values that the capability's `input_schema` asks for
 * @throws {TypeError | RangeError} for an invalid argument; nothing was sent
 * @throws {AgentUnreachable | UnusableAnswer} when no agent responded before anything was signed
 * @throws {QuoteRefused} when the agent's payment terms are refused; nothing was signed
 * @throws {ServiceError} one of the five typed errors of the interface: the agent reports that the job failed
 *   and nothing was charged. If a payment had been sent, `attemptOf(error)` returns it, with the time until which
 *   it can be used
 * @throws {PaymentUnresolved} when a payment was sent without a response: `resume` it, do not pay again
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises'
 * import { execute } from '@farebox/client/execute'
 * import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
 * import { privateKeySigner } from '@farebox/payments/x402/sign-payment'
 *
 * const { output, payment } = await execute('https://agent.example', 'count', { text: 'hello world' }, {
 *   signer: privateKeySigner(await loadEvmCrypto(), process.env['PAYER_KEY'] ?? ''),
 *   maxPrice: '0.05',
 *   journal: entry => writeFile(`${entry.jobId}.json`, JSON.stringify(entry), { flush: true }),
 * })
 * console.log(output, payment?.transaction)
 * ```
 */
export async function execute(
  agent: CalledAgent,
  capability: string,
  input: JsonObject,
  options: ExecuteOptions = {},
): Promise<JobResult> {
  const connection = connectionOf(options)
  const maxPriceAtomic = readMaxPrice(options.maxPrice ?? DEFAULT_MAX_PRICE)
  const known = await meetAgent(agent, connection)
  findCapability(known.declaration, capability)
  const job = planJob(known, { capability, input }, options)

  const asked = await askUnpaid(connection, job)
  if (asked.completed !== undefined) return jobResult(asked.completed, asked.answer, job)

  const terms = { declaration: known.declaration, capability, networks: options.networks, maxPriceAtomic }
  const quote = readQuote(asked.answer, terms)
  await options.approve?.(quote)
  connection.signal?.throwIfAborted()
  const pair = await signJob(connection, job, quote, options)
  await options.journal?.(pair.entry)
  connection.signal?.throwIfAborted()

  const { completed, answer } = await repeatUntilAnswered(connection, pair)
  return jobResult(completed, answer, job, pair)
}

function readMaxPrice(maxPrice: string): bigint {
  const price = readPrice(maxPrice)
  if (!price.ok) throw new RangeError(`maxPrice: ${price.reason}`)
  return price.atomic
}

/** The request without a payment: the response is a completed job in dev mode, otherwise a 402 with the price. */
async function askUnpaid(
  connection: Connection,
  job: PlannedJob,
): Promise<{ readonly completed: Completed | undefined; readonly answer: WholeAnswer }> {
  const request = {
    url: `${job.agentUrl}/execute`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: jobBody(job, connection.clock.nowMs() / 1_000 + job.deadlineSeconds),
    timeoutMs: Math.ceil(job.deadlineSeconds + ANSWER_MARGIN_SECONDS) * 1_000,
    maxBytes: MAX_RESPONSE_BYTES,
  } as const
  const repeatMs = Math.min(job.deadlineSeconds * 1_000, LONGEST_REPEAT_MS)
  const answer = await exchangeUntil(connection, request, { busyMs: repeatMs, silentMs: repeatMs })
  const outcome = readOutcome(answer, job.jobId)
  if (outcome.kind === 'failed') throw outcome.error
  if (outcome.kind === 'completed') return { completed: outcome, answer }
  if (outcome.kind === 'payment-required') return { completed: undefined, answer }
  const reason = outcome.kind === 'pending' ? 'HTTP 503 pending, although nothing was paid' : outcome.reason
  throw new UnusableAnswer(answer.status, `the agent's answer is none of the interface: ${reason}`)
}
