import type { WholeAnswer } from '@farebox/client/internal/exchange/exchange'
import { readSettlement, refuseSettlement } from '@farebox/client/internal/attempt/read-settlement'
import { within } from '@farebox/protocol/internal/time/within'
import type { PlatformParts } from '../../platform-parts.ts'
import { changeJob, concludeJob } from '../records/change-job.ts'
import type { JobRow } from '../records/job-row.ts'
import { changesByChain, changesBySending, changesByUnusable, type Sending } from './job-changes.ts'
import { readPaymentStatus, type PaymentOnChain } from './read-payment-status.ts'

/** Records the result of a send, including the bytes of a delivery. */
export async function recordAnswer(parts: PlatformParts, job: JobRow, sending: Sending): Promise<JobRow> {
  const nowMs = parts.clock.nowMs()
  return await changeJob(parts.database, job, nowMs, known => changesBySending(known, sending, nowMs))
}

/** How long a delivery waits for the proof of its payment before it is recorded without. */
export const PROOF_WITHIN_MS = 250

/**
 * Records a delivery, the proof of its payment, and the end of the job, in one statement. Most jobs end this way.
 *
 * @returns `undefined` when this is not such an end, or the proof did not arrive in time; nothing was written in that case
 */
export async function recordPaidDelivery(
  parts: PlatformParts,
  job: JobRow,
  sending: Sending,
  holder: string,
): Promise<JobRow | undefined> {
  const { received, delivery } = sending
  const isDelivery = received.outcome.kind === 'completed' && delivery.outputProblem === undefined
  if (!isDelivery || job.answer === 'completed' || job.payment !== 'open') return undefined
  const onChain = await readProofSoon(parts, job, received.answer)
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

/** The transaction that an answer names as its payment; `undefined` when it names none on the job's network. */
export function namedTransaction({ network }: JobRow, { headers }: WholeAnswer): string | undefined {
  const settlement = readSettlement(headers)
  return refuseSettlement(settlement, network) === undefined ? settlement?.transaction : undefined
}

/**
 * Counts a send whose answer could not be stored, as an answer outside the interface, so that the number of sends is
 * limited.
 */
export async function recordUnusable(parts: PlatformParts, job: JobRow, beganMs: number): Promise<JobRow> {
  return await changeJob(parts.database, job, parts.clock.nowMs(), known => changesByUnusable(known, beganMs))
}

/** Records the state of a job's payment on the chain. Independent of the attempt, because all attempts share one payment. */
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

/** Records that the agent is not asked any more. */
export async function recordAskingOver(parts: PlatformParts, job: JobRow): Promise<JobRow> {
  return await changeJob(parts.database, job, parts.clock.nowMs(), () => ({ askingOver: true }))
}
