import { encodeHeader, type PaymentResponse } from '@farebox/payments/payment-header'
import { RESPONSE_KEPT_SECONDS } from '@farebox/protocol/limits'
import { sleep, type Clock } from '../clock.ts'
import type { Answer } from '../http/answer.ts'
import type { SavedJob, SettledJob, UnpaidJob } from '../jobs/job.ts'
import type { JobBell } from '../jobs/job-bell.ts'
import type { Log } from '../log.ts'
import type { PaymentGate } from '../payment-gate/payment-gate.ts'
import { answerPending, answerSettled } from './answer-job.ts'
import { RefusedPayment } from './refused-payment.ts'
import type { HeldJob } from './keep-leases.ts'
import type { SavedResponse } from './save-response.ts'

/** How long a caller is kept waiting for a settlement before it is answered 503 pending (D8). */
const DEFAULT_PATIENCE_MS = 10_000
const FIRST_RETRY_MS = 200
const SLOWEST_RETRY_MS = 5_000

/** The settlements this process is seeing through; each goes on until it is known, whoever still waits for it. */
export interface Settlements {
  readonly patienceMs: number
  /** Settles a saved response and resolves when it is known; undefined where another process took it over. */
  resume(held: HeldJob): Promise<SettledJob | UnpaidJob | undefined>
  /** Lets go of what is not known yet: it is stored, and the next process takes it up. */
  stop(): Promise<void>
}

/**
 * Charges for a saved response, and answers: 200 when the transfer is proven, 402 when it definitely failed, 503
 * while it is not known (D7, D8). The one place where money moves; a {@link SavedResponse} is what it takes.
 */
export async function settlePayment(
  settlements: Settlements,
  clock: Clock,
  saved: SavedResponse,
): Promise<Answer> {
  const patience = new AbortController()
  const known = await Promise.race([
    settlements.resume(saved.held),
    sleep(clock, settlements.patienceMs, patience.signal),
  ])
  patience.abort()
  if (known === undefined) return answerPending(saved.jobId)
  if (known.state === 'settled') return answerSettled(known)
  throw new RefusedPayment(`the payment could not be settled: ${known.reason}`, { 'payment-response': known.paymentResponse })
}

/** Makes the settlements of a process. */
export function createSettlements(parts: {
  readonly gate: PaymentGate | undefined
  readonly bell: JobBell
  readonly clock: Clock
  readonly log: Log
  readonly patienceMs?: number | undefined
}): Settlements {
  const { gate, bell, clock, log } = parts
  const stopping = new AbortController()
  const open = new Map<string, Promise<SettledJob | UnpaidJob | undefined>>()

  return {
    patienceMs: parts.patienceMs ?? DEFAULT_PATIENCE_MS,
    resume(held) {
      const { jobKey } = held.holder
      const settling = seeThrough(held).finally(() => {
        open.delete(jobKey)
        bell.ring(jobKey)
      })
      open.set(jobKey, settling)
      return settling
    },
    async stop() {
      stopping.abort()
      await Promise.allSettled(open.values())
    },
  }

  async function seeThrough(held: HeldJob): Promise<SettledJob | UnpaidJob | undefined> {
    for (let retryMs = FIRST_RETRY_MS; !held.lost.aborted; retryMs = Math.min(2 * retryMs, SLOWEST_RETRY_MS)) {
      const { job } = held
      if (job.state !== 'saved') throw new Error(`a job that is ${job.state} was to be settled`)
      const known = await settleOnce(held, job)
      if (known !== undefined) return known
      if (stopping.signal.aborted) break
      await sleep(clock, retryMs, stopping.signal)
    }
    if (stopping.signal.aborted) await leave(held)
    return undefined
  }

  async function settleOnce(held: HeldJob, job: SavedJob): Promise<SettledJob | UnpaidJob | undefined> {
    const outcome = gate === undefined
      ? { kind: 'unknown', cause: 'FACILITATOR_SECRET is missing' } as const
      : await gate.settle(job.payment)
    if (outcome.kind === 'unknown') {
      log.warn('settlement not known yet, asking again', { cause: outcome.cause, job: job.jobId })
      return undefined
    }
    const known = outcome.kind === 'settled' ? settledJob(job, outcome.transaction) : unpaidJob(job, outcome)
    return await record(held, known) || known.state === 'settled' ? known : undefined
  }

  /**
   * A settlement that is known but cannot be written down yet: success may be told, because asking again finds it
   * again; failure may not, because the record would still say that the payment is to be charged.
   */
  async function record(held: HeldJob, job: SettledJob | UnpaidJob): Promise<boolean> {
    try {
      return await held.letGo({ kind: 'leave', job, sealed: job.state === 'settled', keepMs: RESPONSE_KEPT_SECONDS * 1_000 })
    } catch (error) {
      log.warn('the job store did not take a settlement, it will be asked for again', { cause: String(error) })
      return false
    }
  }

  async function leave(held: HeldJob): Promise<void> {
    await held.letGo({ kind: 'leave', job: held.job, sealed: false, keepMs: 0 }).catch(() => undefined)
  }
}

function settledJob(job: SavedJob, transaction: string): SettledJob {
  const { requirement, authorization } = job.payment
  const response: PaymentResponse = {
    success: true,
    transaction,
    network: requirement.network,
    payer: authorization.from,
    amount: requirement.amount,
  }
  return { version: 1, state: 'settled', payer: job.payer, response: job.response, paymentResponse: encodeHeader(response) }
}

function unpaidJob(job: SavedJob, failed: { readonly reason: string; readonly message: string; readonly transaction: string }): UnpaidJob {
  const { requirement, authorization, key } = job.payment
  const response: PaymentResponse = {
    success: false,
    transaction: failed.transaction,
    network: requirement.network,
    payer: authorization.from,
    errorReason: failed.reason,
  }
  return {
    version: 1,
    state: 'unpaid',
    payer: job.payer,
    response: job.response,
    reason: failed.message === '' ? failed.reason : failed.message,
    paymentResponse: encodeHeader(response),
    refusedPayments: [...job.refusedPayments, key],
  }
}
