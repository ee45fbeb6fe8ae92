import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { PaymentSigner } from '@farebox/payments/x402/sign-payment'
import type { JsonObject } from '@farebox/protocol/fields/field'
import { MAX_RESPONSE_BYTES } from '@farebox/protocol/limits'
import { readPrice } from '@farebox/protocol/money/usdc'
import { findCapability, meetAgent, type CalledAgent } from './agent/agent.ts'
import { UnusableAnswer } from './exchange/agent-errors.ts'
import { connectionOf, type ClientOptions, type Connection } from './exchange/client-options.ts'
import { exchange, type WholeAnswer } from './exchange/exchange.ts'
import { jobResult, type JobResult } from './attempt/job-result.ts'
import type { JournalEntry } from './attempt/journal-entry.ts'
import { jobBody, planJob, type PlannedJob } from './attempt/plan-job.ts'
import { readOutcome, type Completed } from './attempt/read-outcome.ts'
import { readQuote, type Quote } from './attempt/read-quote.ts'
import { ANSWER_MARGIN_SECONDS, repeatUntilAnswered } from './attempt/repeat-until-answered.ts'
import { signJob } from './attempt/sign-job.ts'

/** How a job is called and paid. */
export interface ExecuteOptions extends ClientOptions {
  /** Who pays; a viem account is one. Without it only agents that ask for no payment can be called. */
  readonly signer?: PaymentSigner
  /** The most that may be paid, in decimal USDC; default `"1"`. */
  readonly maxPrice?: string
  /** How long the agent may work, from when the payment is signed; default its `max_deadline_seconds`. */
  readonly deadlineSeconds?: number
  /** CAIP-2 ids that may be paid on; default all we know. */
  readonly networks?: readonly string[]
  /** UUID v4; default a new one. Choose it where the job must be found again before it has an answer. */
  readonly jobId?: string
  /**
   * Given the job and its signed payment before they are sent for the first time, and awaited: what it has
   * written down survives a crash, and `resume` takes it up. If it rejects, or the call was aborted
   * meanwhile, nothing is sent.
   */
  readonly journal?: (entry: JournalEntry) => void | Promise<void>
  /**
   * Given what would be paid before it is signed, and awaited: a caller that keeps a budget takes it from there. If it rejects,
   * or the call was aborted meanwhile, nothing is signed, and the call rejects with the same.
   */
  readonly approve?: (quote: Quote) => void | Promise<void>
  /** Loaded for the call where absent; who makes many calls loads it once. */
  readonly crypto?: EvmCrypto
}

const DEFAULT_MAX_PRICE = '1'

/**
 * Calls a capability of an agent and pays for it, once.
 *
 * Asks without payment, checks what the agent wants against its `/about`, our own table of tokens and
 * `maxPrice`, signs one payment that is good for this job alone (D13), journals it, and sends it until the
 * agent answers. After a lost answer the same pair is sent again; nothing is ever signed twice. An agent in
 * dev mode is not paid.
 *
 * @param agent base URL, or `{ url, declaration }` to hold the agent to a declaration read before
 * @param input what the capability's `input_schema` asks
 * @throws {TypeError | RangeError} for an argument that cannot be right; nothing was sent
 * @throws {AgentUnreachable | UnusableAnswer} when no agent answered before anything was signed
 * @throws {QuoteRefused} when the agent asks for something that we do not pay; nothing was signed
 * @throws {ServiceError} one of the five typed errors of the interface: the agent says that the job failed
 *   and nothing was charged. Where a payment had been sent, `attemptOf(error)` has it, and until when it can
 *   be used
 * @throws {PaymentUnresolved} when a payment was sent and no answer came: `resume` it, do not pay again
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

/**
 * The call without a payment: the answer is a completed job in dev mode, else the 402 that says what it
 * costs.
 */
async function askUnpaid(
  connection: Connection,
  job: PlannedJob,
): Promise<{ readonly completed: Completed | undefined; readonly answer: WholeAnswer }> {
  const answer = await exchange(connection, {
    url: `${job.agentUrl}/execute`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: jobBody(job, connection.clock.nowMs() / 1_000 + job.deadlineSeconds),
    timeoutMs: Math.ceil(job.deadlineSeconds + ANSWER_MARGIN_SECONDS) * 1_000,
    maxBytes: MAX_RESPONSE_BYTES,
  })
  const outcome = readOutcome(answer, job.jobId)
  if (outcome.kind === 'failed') throw outcome.error
  if (outcome.kind === 'completed') return { completed: outcome, answer }
  if (outcome.kind === 'payment-required') return { completed: undefined, answer }
  const reason = outcome.kind === 'pending' ? 'HTTP 503 pending, although nothing was paid' : outcome.reason
  throw new UnusableAnswer(answer.status, `the agent's answer is none of the interface: ${reason}`)
}
