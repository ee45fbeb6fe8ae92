import { readTraceparent } from '@farebox/protocol/internal/trace/traceparent'
import { SETTLE_MARGIN_SECONDS } from '@farebox/protocol/limits'
import { createOrderAdmission } from '../../jobs/order/admit-order.ts'
import { orderJob } from '../../jobs/order/order-job.ts'
import { retryJob } from '../../jobs/order/retry-job.ts'
import type { AdmissionBounds } from '../../jobs/order/write-order.ts'
import { createProvePayment } from '../../jobs/quote/prove-payment.ts'
import { readJob } from '../../jobs/records/job-store.ts'
import { Refusal } from '../../http/refusal.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import type { RunRow } from '../records/run-row.ts'
import { readStepOrder } from '../records/sent-jobs.ts'
import type { UnorderedJob } from './job-outcomes.ts'

/** The outcome of an order. */
export type OrderOutcome =
  | { readonly kind: 'ordered' }
  /** Temporarily refused: there are too many jobs, or the chain does not respond. Nothing was written. */
  | { readonly kind: 'later'; readonly afterMs: number }
  /** Permanently refused. Nothing was written. */
  | { readonly kind: 'never'; readonly reason: string }

/** Orders a job of a run with its payment, or the next attempt of a failed job. */
export type OrderJobOfRun = (
  run: Pick<RunRow, 'runId' | 'payer' | 'trace'>,
  job: UnorderedJob,
) => Promise<OrderOutcome>

/** Higher than the usual limits, because a run has many jobs in progress at a time, each signed for by its payer. */
const RUN_BOUNDS: AdmissionBounds = {
  openOfPayer: 1_000,
  unpaidOfPayer: 2_000,
  unpaidBytesOfPayer: 64 * 1_048_576,
  unpaidBytesFromAddress: 64 * 1_048_576,
  connectionsForAddress: 3,
}

const LATER_MS = 1_000

/** Creates the function that orders the jobs of runs in one process. */
export function createOrderJobOfRun(parts: PlatformParts): OrderJobOfRun {
  const provePayment = createProvePayment(parts)
  const admit = createOrderAdmission(parts, RUN_BOUNDS)
  return async ({ runId, payer = '', trace = readTraceparent(undefined) }, job) => {
    const ordering = { kind: 'caller', provePayment, admit, from: `runs of ${payer}`, runId, trace } as const
    const { input, sealedPayment } = job.with ?? (await readStepOrder(parts.database, job.jobId))
    if (sealedPayment === undefined)
      return { kind: 'never', reason: 'Its payment was deleted before it was ordered.' }
    const payment = parts.seal.open(job.jobId, sealedPayment)
    try {
      if (!job.isRetry) {
        if (input === undefined) return { kind: 'never', reason: 'What was to be sent is not kept any more.' }
        await orderJob(parts, ordering, {
          agent_id: job.agentId,
          capability: job.capability,
          job_id: job.jobId,
          input: JSON.parse(input) as { readonly [field: string]: unknown },
          deadline: job.validBefore - SETTLE_MARGIN_SECONDS,
          payment,
        })
        return { kind: 'ordered' }
      }
      const known = await readJob(parts.database, job.jobId)
      if (known === undefined) return { kind: 'later', afterMs: LATER_MS }
      const caller = { kind: 'owner', ip: '', address: payer, sessionId: '' } as const
      await retryJob(parts, ordering, known, { retry: { payment }, shown: { caller, token: undefined } })
      return { kind: 'ordered' }
    } catch (error) {
      return outcomeOf(error)
    }
  }
}

function outcomeOf(error: unknown): OrderOutcome {
  if (!(error instanceof Refusal)) throw error
  const { type, message, retryAfterSeconds } = error
  const isPassing =
    type === 'rate_limited' || type === 'unavailable' || type === 'agent' || type === 'internal'
  if (!isPassing) return { kind: 'never', reason: message }
  return { kind: 'later', afterMs: retryAfterSeconds === undefined ? LATER_MS : retryAfterSeconds * 1_000 }
}
