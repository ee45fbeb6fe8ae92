import type { SettleOutcome } from '@farebox/payments/x402/facilitator-client'
import { encodeHeader, type PaymentResponse } from '@farebox/payments/x402/payment-header'
import { RESPONSE_KEPT_SECONDS } from '@farebox/protocol/limits'
import { sleep, type Clock } from '@farebox/protocol/time/clock'
import type { Job, SavedJob, SettledJob, UnpaidJob } from '../jobs/job.ts'
import type { JobNotifier } from '../jobs/job-notifier.ts'
import type { Log } from '../log.ts'
import type { PaymentGate } from '../payment-gate/payment-gate.ts'
import type { HeldJob } from '../jobs/renew-leases.ts'
import type { JobTraces } from '../tracing/job-traces.ts'

/** How long a caller waits for a settlement before it is answered 503 pending (D8). */
const DEFAULT_WAIT_MS = 10_000
const FIRST_RETRY_MS = 200
const SLOWEST_RETRY_MS = 5_000

/** The settlements in this process; each continues until its outcome is known, even when no caller waits for it. */
export interface Settlements {
  readonly waitMs: number
  /**
   * Settles a saved response. Resolves to `settled` as soon as the transfer is proven: the record is written
   * afterwards, because a repeat finds the same transfer (decision 70). Resolves to `unpaid` after its record was
   * written, and to undefined when another process took the job over or this one stops.
   */
  resume(held: HeldJob): Promise<SettledJob | UnpaidJob | undefined>
  /**
   * Writes the known outcomes, and releases the jobs with unknown ones: they are stored, and the next process settles
   * them.
   */
  stop(): Promise<void>
}

/** The parts that the settlements of a process need. */
interface SettlingParts {
  readonly gate: PaymentGate | undefined
  readonly clock: Clock
  readonly log: Log
}

/** Makes the settlements of a process. */
export function createSettlements({
  notifier,
  traces,
  waitMs = DEFAULT_WAIT_MS,
  ...parts
}: SettlingParts & {
  readonly notifier: JobNotifier
  readonly traces: JobTraces
  readonly waitMs?: number | undefined
}): Settlements {
  const stopping = new AbortController()
  const settling = { ...parts, stopped: stopping.signal }
  const open = new Set<Promise<unknown>>()
  return {
    waitMs,
    resume: held =>
      new Promise((resolve, reject) => {
        const leave = enterSaved(traces, held.job)
        const seen = seeThrough(settling, held, resolve)
          .then(resolve, reject)
          .finally(() => {
            open.delete(seen)
            leave()
            // Only after the record is written, because waiting requests then read it.
            notifier.notify(held.holder.jobKey)
          })
        open.add(seen)
      }),
    async stop() {
      stopping.abort()
      await Promise.allSettled(open)
    },
  }
}

/** A settlement may outlive the request of its job, and may have been begun by an earlier process. */
function enterSaved(traces: JobTraces, job: Job): () => void {
  if (job.state !== 'saved' || job.payment.trace === undefined) return () => undefined
  const { key, trace } = job.payment
  return traces.enter(job.jobId, { trace: trace.id, key })
}

/** Settles until the outcome is known and recorded. Calls `onSettled` as soon as it is known to be a success. */
async function seeThrough(
  settling: SettlingParts & { readonly stopped: AbortSignal },
  held: HeldJob,
  onSettled: (settled: SettledJob) => void,
): Promise<SettledJob | UnpaidJob | undefined> {
  const { clock, stopped } = settling
  const isOver = (): boolean => held.isLost || stopped.aborted
  let known: SettledJob | UnpaidJob | undefined
  for (let retryMs = FIRST_RETRY_MS; !isOver(); retryMs = Math.min(2 * retryMs, SLOWEST_RETRY_MS)) {
    // The outcome is asked for only until it is known: a failed payment is never submitted again, only its record is
    // retried.
    known ??= await settleOnce(settling, held)
    if (known?.state === 'settled') onSettled(known)
    const recorded = known && (await recordSettlement(settling, held, known))
    if (known?.state === 'settled' || recorded === 'written') return known
    if (recorded === 'lost') return undefined
    await sleep(clock, retryMs, stopped)
  }
  if (stopped.aborted && known === undefined) await leave(held)
  return undefined
}

async function settleOnce(
  { gate, log }: SettlingParts,
  held: HeldJob,
): Promise<SettledJob | UnpaidJob | undefined> {
  const { job } = held
  if (job.state !== 'saved') throw new Error(`a job that is ${job.state} was to be settled`)
  const outcome = await askGate(gate, job)
  if (outcome.kind === 'settled') {
    log.job('completed', job.jobId, { transaction: outcome.transaction })
    return settledJob(job, outcome.transaction)
  }
  if (outcome.kind === 'failed') return unpaidJob(job, outcome)
  log.warn('settlement outcome not known yet; asking again', { cause: outcome.cause, job: job.jobId })
  return undefined
}

/**
 * Asks the gate to settle. A gate does not reject; if one does, the outcome is unknown, which is not a failure (D8).
 */
async function askGate(gate: PaymentGate | undefined, job: SavedJob): Promise<SettleOutcome> {
  if (gate === undefined) return { kind: 'unknown', cause: 'FACILITATOR_SECRET is missing' }
  try {
    return await gate.settle(job.payment)
  } catch (error) {
    return { kind: 'unknown', cause: String(error) }
  }
}

/**
 * Writes the record of a known outcome. When that fails, a success may be reported, because asking again finds it; a
 * failure must not be reported, because the record would still say that the payment is to be charged.
 */
async function recordSettlement(
  { log }: SettlingParts,
  held: HeldJob,
  job: SettledJob | UnpaidJob,
): Promise<'written' | 'lost' | 'not written'> {
  try {
    const ours = await held.release({
      kind: 'leave',
      job,
      sealed: job.state === 'settled',
      keepMs: RESPONSE_KEPT_SECONDS * 1_000,
      // The response is sent without waiting for the record of its settlement.
      mayWait: job.state === 'settled',
    })
    return ours ? 'written' : 'lost'
  } catch (error) {
    const about = held.job.state === 'saved' ? { job: held.job.jobId } : {}
    log.warn('the job store did not accept a settlement', { cause: String(error), ...about })
    return 'not written'
  }
}

async function leave(held: HeldJob): Promise<void> {
  await held.release({ kind: 'leave', job: held.job, sealed: false, keepMs: 0 }).catch(() => undefined)
}

function settledJob(job: SavedJob, transaction: string): SettledJob {
  const { key, requirement, authorization } = job.payment
  const response: PaymentResponse = {
    success: true,
    transaction,
    network: requirement.network,
    payer: authorization.from,
    amount: requirement.amount,
  }
  return {
    version: 1,
    state: 'settled',
    payer: job.payer,
    paymentKey: key,
    response: job.response,
    paymentResponse: encodeHeader(response),
  }
}

function unpaidJob(
  job: SavedJob,
  failed: { readonly reason: string; readonly message: string; readonly transaction: string },
): UnpaidJob {
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
    amount: requirement.amount,
    reason: failed.message === '' ? failed.reason : failed.message,
    paymentResponse: encodeHeader(response),
    refusedPayments: [...job.refusedPayments, key],
  }
}
