import type { ExecuteOptions } from '@farebox/client/execute'
import type { JobResult } from '@farebox/client/attempt/job-result'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { PaymentSigner } from '@farebox/payments/x402/sign-payment'
import type { ErrorType } from '@farebox/protocol/errors/error-types'
import { isServiceError } from '@farebox/protocol/errors/service-errors'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import type { Clock } from '@farebox/protocol/time/clock'
import { isHireError } from '../handler/hire-error.ts'
import type { HiringJob } from '../handler/job-hiring.ts'
import type { Hired } from '../handlers.ts'
import type { JobAccounts } from '../jobs/job-accounts.ts'
import type { Log } from '../log.ts'
import { childHeaders } from './agent-path.ts'
import { childJobId, digestOrder } from './child-job.ts'
import type { HireBounds } from './hire-bounds.ts'
import { judgeOutput, keptDeclaration, type ChildOrder } from './hire-entry.ts'
import { hireError, unsignedError } from './hire-errors.ts'
import type { HireOrder } from './hire-order.ts'
import { openRecord, type HireRecord } from './hire-record.ts'
import { shareTime, stopAt, type HireTime } from './hire-time.ts'
import type { HireClient } from './load-client.ts'
import { refuseLoop, refuseOwn } from './refuse-loop.ts'

/** The parts that the hires of one job need. */
export interface HireParts {
  readonly client: HireClient
  readonly accounts: JobAccounts
  readonly crypto: EvmCrypto
  readonly clock: Clock
  readonly log: Log
  /** `eip155:<chain id>` */
  readonly networkId: string
  /** Undefined in dev mode: nothing is paid. */
  readonly payer: { readonly signer: PaymentSigner; readonly privateKey: string } | undefined
  /** Lower-case: the wallet that this agent is paid to, and below it the wallet that it hires from. */
  readonly wallet: string
  readonly hiringWallet: string
  /** The URL at which this agent is called, if it is configured. */
  readonly publicUrl: string | undefined
  readonly job: HiringJob
  readonly bounds: HireBounds
}

/**
 * Makes one hire, or continues the one that an earlier run of the job made. The order of the steps: the price is
 * counted in the store before a payment is signed; the order is stored under the job's fence before it is sent; from
 * then on only the same bytes are sent again. Throws a `HireError`; errors of the store pass.
 */
export async function hireOnce(parts: HireParts, order: HireOrder, name: string): Promise<Hired> {
  const { clock, job } = parts
  const digest = digestOrder(order.agent, order.capability, order.input)
  const record = await openRecord(parts, { name, digest, agent: order.agent })
  const { entry } = record
  if (entry?.state === 'done') return deliver(order.agent, entry.hired, entry.problem, true)
  const time = shareTime(job.deadline.atMs, clock.nowMs())
  if (entry?.state === 'ordered' || entry?.state === 'failed') {
    const isOver = clock.nowMs() / 1_000 >= entry.order.deadline
    // The failure is final, because the agent does not accept the order any more.
    if (entry.state === 'failed' && (isOver || time === undefined))
      throw failedError(order.agent, entry.errorType, entry.message)
    return await sendAgain(parts, record, order, entry.order)
  }
  if (time === undefined)
    throw hireError('no time', order.agent, 'no', `cannot hire ${order.agent}: too little time is left`)
  return await orderFirst(parts, { record, order, time, jobId: jobIdOf(parts, name) })
}

function jobIdOf({ payer, job }: HireParts, name: string): string {
  return childJobId(payer?.privateKey ?? '', job.holder.jobKey, name)
}

interface FirstOrder {
  readonly record: HireRecord
  readonly order: HireOrder
  readonly time: HireTime
  readonly jobId: string
}

/** Asks for the price, reserves it, and sends the order. */
async function orderFirst(parts: HireParts, made: FirstOrder): Promise<Hired> {
  const { client, clock, job } = parts
  const { record, order, time } = made
  const { agent, capability, input } = order
  refuseLoop(parts, agent)
  const headers = childHeaders(job.origin, parts.wallet)
  const stop = stopAt(clock, time.waitUntilMs, job.aborter.signal)
  const call = { clock, fetch: withHeaders(headers), signal: stop.signal }
  try {
    const declaration = await client.readAbout(agent, call)
    refuseOwn(parts, agent, declaration)
    const options: ExecuteOptions = {
      ...call,
      ...termsOf(parts, made, declaration.max_deadline_seconds),
      journal: async entry =>
        await record.keepOrder({
          entry,
          headers,
          declaration: keptDeclaration(declaration, capability),
          deadline: (JSON.parse(entry.body) as { readonly deadline: number }).deadline,
        }),
    }
    const result = await client.execute({ url: agent, declaration }, capability, input, options)
    return await take(parts, record, agent, result, false)
  } catch (error) {
    throw record.isOrdered
      ? await noteOutcome(parts, record, agent, error)
      : await giveBack(record, agent, error, stop.isLate())
  } finally {
    stop.end()
  }
}

/** The signer, the maximum price and the deadline of an order. */
function termsOf(
  parts: HireParts,
  { record, order, time, jobId }: FirstOrder,
  maxDeadlineSeconds: number,
): Omit<ExecuteOptions, 'clock' | 'fetch' | 'signal' | 'journal'> {
  const { clock, job, bounds, payer } = parts
  const { agent } = order
  const maxAtomic = order.maxAtomic ?? bounds.mostOfJob
  // Time has passed while the declaration was read, so it is shared out again.
  const { workMs, signBeforeMs } = shareTime(job.deadline.atMs, clock.nowMs()) ?? time
  return {
    ...(payer !== undefined && { signer: payer.signer }),
    crypto: parts.crypto,
    networks: [parts.networkId],
    // In dev mode and without a budget any price passes here, so that `approve` can give the reason for the refusal.
    maxPrice: formatUsdc(payer !== undefined && maxAtomic > 0n ? maxAtomic : NO_BOUND),
    jobId,
    deadlineSeconds: Math.min(maxDeadlineSeconds, workMs / 1_000),
    async approve({ amountAtomic }) {
      const price = `${formatUsdc(amountAtomic)} USDC`
      if (payer === undefined)
        throw hireError(
          'refused',
          agent,
          'no',
          `cannot hire ${agent} for ${price}: in dev mode nothing is paid`,
        )
      if (clock.nowMs() > signBeforeMs)
        throw hireError('no time', agent, 'no', `cannot hire ${agent}: it took too long to name its price`)
      await record.reserve(amountAtomic)
    },
  }
}

/** Sends the same bytes again, whichever process sent them first; nothing is signed. */
async function sendAgain(
  parts: HireParts,
  record: HireRecord,
  { agent }: HireOrder,
  { entry, headers, declaration }: ChildOrder,
): Promise<Hired> {
  const { client, clock, job, log } = parts
  log.job('hire sent again', job.jobId, { child: entry.jobId, agent: entry.agentUrl })
  const stop = stopAt(clock, job.deadline.atMs - LAST_ANSWER_MS, job.aborter.signal)
  try {
    const result = await client.resume(entry, {
      clock,
      fetch: withHeaders(headers),
      signal: stop.signal,
      ...(declaration !== undefined && { declaration }),
    })
    return await take(parts, record, agent, result, true)
  } catch (error) {
    throw await noteOutcome(parts, record, agent, error)
  } finally {
    stop.end()
  }
}

/** Much more than any price. */
const NO_BOUND = 10n ** 15n
/** The time that a handler needs at least to react to a result. */
const LAST_ANSWER_MS = 300

async function take(
  { log, job }: HireParts,
  record: HireRecord,
  agent: string,
  { output, violation, jobId, payment }: JobResult,
  resumed: boolean,
): Promise<Hired> {
  const judged = judgeOutput(output, violation)
  const paidAtomic = payment?.amountAtomic ?? 0n
  const hired = {
    output: judged.output,
    jobId,
    paid: formatUsdc(paidAtomic),
    transaction: payment?.transaction,
  }
  await record.keepDone(hired, judged.problem, paidAtomic)
  const { transaction = '–' } = hired
  log.job('hired', job.jobId, { child: jobId, agent, paid: hired.paid, transaction })
  if (payment?.receiptProblem !== undefined)
    log.warn('a hired agent answered without a valid receipt', {
      job: job.jobId,
      child: jobId,
      reason: payment.receiptProblem,
    })
  return deliver(agent, hired, judged.problem, resumed)
}

function deliver(
  agent: string,
  hired: Omit<Hired, 'resumed'>,
  problem: string | undefined,
  resumed: boolean,
): Hired {
  if (problem === undefined) return { ...hired, resumed }
  const charged = hired.paid === '0' ? 'no' : 'yes'
  throw hireError('output', agent, charged, `what ${agent} delivered cannot be used: ${problem}`)
}

/** Records the outcome of an order that may have been sent: its price stays counted, whatever its agent says. */
async function noteOutcome(
  { client, job, log }: HireParts,
  record: HireRecord,
  agent: string,
  error: unknown,
): Promise<unknown> {
  if (isHireError(error)) return error
  if (isServiceError(error) && client.attemptOf(error) !== undefined) {
    await record.keepFailed(error.errorType, error.message)
    return failedError(agent, error.errorType, error.message, error)
  }
  // The order was not stored, or not sent, or the store failed.
  if (client.attemptOf(error) === undefined) return error
  log.job('hire unknown', job.jobId, { agent })
  const message = `no answer of ${agent} says what became of its job: it may have been charged`
  return hireError('unknown', agent, 'unknown', message, { cause: error })
}

/** No signed payment left this process, so the reservation is given back. */
async function giveBack(
  record: HireRecord,
  agent: string,
  error: unknown,
  isLate: boolean,
): Promise<unknown> {
  await record.giveBack()
  return isLate
    ? hireError('no time', agent, 'no', `cannot hire ${agent}: it took too long`, { cause: error })
    : unsignedError(agent, error)
}

/** The error for a hire whose payment was sent, and whose agent claims that nothing was charged. */
function failedError(agent: string, childErrorType: ErrorType, message: string, cause?: unknown): unknown {
  const text = `the job at ${agent} failed, and its agent says that nothing was charged: ${message}`
  return hireError('failed', agent, 'unknown', text, { childErrorType, cause })
}

/** Adds the headers to POST requests only, which go to `/execute`: no other URL gets the hire path. */
function withHeaders(headers: { readonly [name: string]: string }): NonNullable<ExecuteOptions['fetch']> {
  return (url, init) =>
    globalThis.fetch(
      url,
      init.method === 'POST' ? { ...init, headers: { ...plain(init.headers), ...headers } } : init,
    )
}

function plain(headers: RequestInit['headers']): { readonly [name: string]: string } {
  return Object.fromEntries(new Headers(headers))
}
