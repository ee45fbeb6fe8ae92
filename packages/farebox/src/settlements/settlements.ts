import type { SettleOutcome } from '@farebox/payments/x402/facilitator-client'
import { encodeHeader, type PaymentResponse } from '@farebox/payments/x402/payment-header'
import { RESPONSE_KEPT_SECONDS } from '@farebox/protocol/limits'
import { sleep, type Clock } from '@farebox/protocol/time/clock'
import type { SavedJob, SettledJob, UnpaidJob } from '../jobs/job.ts'
import type { JobNotifier } from '../jobs/job-notifier.ts'
import type { Log } from '../log.ts'
import type { PaymentGate } from '../payment-gate/payment-gate.ts'
import type { HeldJob } from '../jobs/renew-leases.ts'

/** How long a caller is kept waiting for a settlement before it is answered 503 pending (D8). */
const DEFAULT_WAIT_MS = 10_000
const FIRST_RETRY_MS = 200
const SLOWEST_RETRY_MS = 5_000

/** The settlements that this process follows; each goes on until its outcome is known, even if nobody waits for it. */
export interface Settlements {
  readonly waitMs: number
  /**
   * Settles a saved response. Resolves to `settled` as soon as the transfer is proven: that is written down afterwards,
   * because a repeat finds the same transfer (decision 70). Resolves to `unpaid` once that is written
   * down; to undefined where another process took the job over, or this one stops.
   */
  resume(held: HeldJob): Promise<SettledJob | UnpaidJob | undefined>
  /** Writes down what is known, and lets go of what is not: it is stored, and the next process takes it up. */
  stop(): Promise<void>
}

/** What the settlements of a process are followed with. */
interface SettlingParts {
  readonly gate: PaymentGate | undefined
  readonly clock: Clock
  readonly log: Log
}

/** Makes the settlements of a process. */
export function createSettlements({
  notifier,
  waitMs = DEFAULT_WAIT_MS,
  ...parts
}: SettlingParts & {
  readonly notifier: JobNotifier
  readonly waitMs?: number | undefined
}): Settlements {
  const stopping = new AbortController()
  const settling = { ...parts, stopped: stopping.signal }
  const open = new Set<Promise<unknown>>()
  return {
    waitMs,
    resume: held =>
      new Promise((resolve, reject) => {
        const seen = seeThrough(settling, held, resolve)
          .then(resolve, reject)
          .finally(() => {
            open.delete(seen)
            // Not before it is written down: who waits looks at the record.
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

/** Settles until the outcome is known and written down. Calls back as soon as it is known to be a success. */
async function seeThrough(
  settling: SettlingParts & { readonly stopped: AbortSignal },
  held: HeldJob,
  onSettled: (settled: SettledJob) => void,
): Promise<SettledJob | UnpaidJob | undefined> {
  const { clock, stopped } = settling
  const isOver = (): boolean => held.isLost || stopped.aborted
  let known: SettledJob | UnpaidJob | undefined
  for (let retryMs = FIRST_RETRY_MS; !isOver(); retryMs = Math.min(2 * retryMs, SLOWEST_RETRY_MS)) {
    // A verdict is asked for once: a payment that failed is never submitted again, only its record written.
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

/** A gate does not reject; if one did all the same, then nothing is known, and that is not a failure (D8). */
async function askGate(gate: PaymentGate | undefined, job: SavedJob): Promise<SettleOutcome> {
  if (gate === undefined) return { kind: 'unknown', cause: 'FACILITATOR_SECRET is missing' }
  try {
    return await gate.settle(job.payment)
  } catch (error) {
    return { kind: 'unknown', cause: String(error) }
  }
}

/**
 * A settlement that is known but cannot be written down yet: a success may be reported, because asking again finds it
 * again; a failure may not, because the record would still say that the payment is to be charged.
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
      // Nobody waits for a success to be written down.
      mayWait: job.state === 'settled',
    })
    return ours ? 'written' : 'lost'
  } catch (error) {
    log.warn('the job store did not accept a settlement', { cause: String(error) })
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
