import type { WholeAnswer } from '@farebox/client/internal/exchange/exchange'
import { readSettlement, refuseSettlement } from '@farebox/client/internal/attempt/read-settlement'
import { within } from '@farebox/protocol/internal/time/within'
import type { PlatformParts } from '../../platform-parts.ts'
import { changeJob, concludeJob } from '../records/change-job.ts'
import type { JobRow } from '../records/job-row.ts'
import { changesByChain, changesBySending, changesByUnusable, type Sending } from './job-changes.ts'
import { readPaymentStatus, type PaymentOnChain } from './read-payment-status.ts'

/** Writes down what came of a sending, the bytes of a delivery included. */
export async function recordAnswer(parts: PlatformParts, job: JobRow, sending: Sending): Promise<JobRow> {
  const nowMs = parts.clock.nowMs()
  return await changeJob(parts.database, job, nowMs, known => changesBySending(known, sending, nowMs))
}

/** So long a delivery waits for the proof of its payment before it is written down without. */
export const PROOF_WITHIN_MS = 250

/**
 * Writes down a delivery, the proof that it was paid, and that nothing is left to be done, all at once: the way that most
 * jobs end.
 *
 * @returns undefined where it is no such end, or is not proven soon; nothing was written then
 */
export async function recordPaidDelivery(
  parts: PlatformParts,
  job: JobRow,
  sending: Sending,
  holder: string,
): Promise<JobRow | undefined> {
  const { heard, delivery } = sending
  const isDelivery = heard.outcome.kind === 'completed' && delivery.outputProblem === undefined
  if (!isDelivery || job.answer === 'completed' || job.payment !== 'open') return undefined
  const onChain = await readProofSoon(parts, job, heard.answer)
  if (onChain?.payment !== 'paid') return undefined
  const nowMs = parts.clock.nowMs()
  const changes = {
    ...changesBySending(job, sending, nowMs),
    ...changesByChain(job, onChain, nowMs),
  }
  return await concludeJob(parts.database, job, { holder, nowMs, changes })
}

async function readProofSoon(
  parts: PlatformParts,
  job: JobRow,
  answer: WholeAnswer | undefined,
): Promise<PaymentOnChain | undefined> {
  const proof = readPaymentStatus(parts, job, answer && namedTransaction(job, answer))
  return await within(parts.clock, PROOF_WITHIN_MS, proof)
}

/** The transaction that an answer names as its payment, where it names one of the job's network. */
export function namedTransaction({ network }: JobRow, { headers }: WholeAnswer): string | undefined {
  const settlement = readSettlement(headers)
  return refuseSettlement(settlement, network) === undefined ? settlement?.transaction : undefined
}

/**
 * Counts a sending whose answer could not be written down, as one that no agent gives: whoever gives it again and again
 * is not asked for ever.
 */
export async function recordUnusable(parts: PlatformParts, job: JobRow, beganMs: number): Promise<JobRow> {
  return await changeJob(parts.database, job, parts.clock.nowMs(), known => changesByUnusable(known, beganMs))
}

/** Writes down what the chain says of a job's payment, whichever attempt it was seen in: there is one payment. */
export async function recordPaymentStatus(
  parts: PlatformParts,
  job: JobRow,
  onChain: PaymentOnChain,
): Promise<JobRow> {
  const nowMs = parts.clock.nowMs()
  return await changeJob(parts.database, { jobId: job.jobId }, nowMs, known =>
    changesByChain(known, onChain, nowMs),
  )
}

/** Writes down that the agent is not asked any more. */
export async function recordAskingOver(parts: PlatformParts, job: JobRow): Promise<JobRow> {
  return await changeJob(parts.database, job, parts.clock.nowMs(), () => ({ askingOver: true }))
}
