import { RESPONSE_KEPT_SECONDS } from '@farebox/protocol/limits'
import type { Job, RecordedPayment, SettledJob } from '../../jobs/job.ts'
import type { JobChange } from '../../jobs/job-store.ts'
import type { JobOrder } from '../request/job-order.ts'
import { HoldLost, type HeldJob } from '../../jobs/renew-leases.ts'
import { OutcomeInDoubt } from './outcome-in-doubt.ts'
import type { ReservedPayment } from '../payment/reserve-payment.ts'

declare const saved: unique symbol

/** A saved response, and the payment that may now be charged for it. */
export interface SavedResponse {
  readonly [saved]: true
  readonly jobId: string
  readonly paymentKey: string
  readonly held: HeldJob
}

/** The store failed and the record was taken back, so nothing can be charged. */
export class SaveTakenBack extends Error {
  override readonly name = 'SaveTakenBack'
}

/**
 * Saves the response with its payment before any money can move (D7), if this process still holds the job. Throws
 * {@link HoldLost} when it does not.
 *
 * When the store fails, the record is taken back: throws {@link SaveTakenBack} when that worked, and
 * {@link OutcomeInDoubt} when it is unknown whether the store saved the record, in which case the payment will be
 * charged.
 */
export async function saveResponse(
  order: JobOrder,
  held: HeldJob,
  reserved: ReservedPayment,
  response: string,
): Promise<SavedResponse> {
  const { payment, terms } = reserved
  const { key, payer, authorization, signature } = payment
  const recorded: RecordedPayment = {
    key,
    authorization,
    signature,
    requirement: order.capability.requirement,
    binding: terms.binding,
    trace: terms.trace,
  }
  const before = held.job
  const refusedPayments = before.state === 'unpaid' ? before.refusedPayments : []
  let kept: boolean
  try {
    kept = await held.keep({
      version: 1,
      state: 'saved',
      payer,
      jobId: order.jobId,
      response,
      payment: recorded,
      refusedPayments,
    })
  } catch (error) {
    const takenBack = await held.release(takeBack(before)).catch(() => false)
    if (takenBack)
      throw new SaveTakenBack('the job store failed before the response was saved', { cause: error })
    throw new OutcomeInDoubt('the job store failed while the response was saved', { cause: error })
  }
  if (!kept) throw new HoldLost('the job was taken over before its response was saved')
  // The only place that creates the branded type.
  return { jobId: order.jobId, paymentKey: key, held } as SavedResponse
}

/**
 * A response that was made for an earlier payment stays available for a new one, and payments refused for it stay
 * refused.
 */
function takeBack(before: Job): Exclude<JobChange, { kind: 'hold' }> {
  return before.state === 'unpaid'
    ? { kind: 'leave', job: before, sealed: false, keepMs: RESPONSE_KEPT_SECONDS * 1_000 }
    : { kind: 'forget' }
}

/**
 * Keeps a response for which nothing will be charged: in dev mode, where jobs are free (D22: only the job_id decides),
 * and for a job that was charged before (D40), with the receipt of that charge.
 *
 * Throws {@link HoldLost} when another process has the job, and {@link OutcomeInDoubt} when the store fails: the record
 * may have been written and read by a repeat, so the job must not be forgotten and run again.
 */
export async function keepFinalResponse(
  held: HeldJob,
  response: string,
  paid?: { readonly paymentKey: string; readonly paymentResponse: string },
): Promise<SettledJob> {
  const { payer } = held.job
  const job: SettledJob = { version: 1, state: 'settled', payer, response, paymentResponse: '', ...paid }
  const sealed = { kind: 'leave', job, sealed: true, keepMs: RESPONSE_KEPT_SECONDS * 1_000 } as const
  const kept = await held.release(sealed).catch((error: unknown) => {
    throw new OutcomeInDoubt('the job store failed while the final response was kept', { cause: error })
  })
  if (!kept) throw new HoldLost('the job was taken over before its response was kept')
  return job
}
