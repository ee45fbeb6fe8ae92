import { jobBody } from '@farebox/client/internal/attempt/plan-job'
import type { ProvenPayment } from '@farebox/payments/x402/verify-signature'
import type { JobOrder } from '@farebox/platform-api/jobs'
import { hashJson } from '@farebox/platform-api/receipt'
import type { JsonObject } from '@farebox/protocol/fields/field'
import { MAX_BODY_BYTES, MILLISECONDS_LOOK_FROM, SETTLE_MARGIN_SECONDS } from '@farebox/protocol/limits'
import { CheckFailed } from '../../checking/checker.ts'
import { loopTurns } from '../../http/loop-turns.ts'
import { Refusal } from '../../http/refusal.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import type { JobRow } from '../records/job-row.ts'
import { leastDeadlineSeconds, secondsLeft, type OrderEnd } from '../../reputation/fair-deadline.ts'
import type { AdmitOrder } from './admit-order.ts'
import { insertJob, readJob, type NewJob } from '../records/job-store.ts'
import { makeJobToken } from '../records/job-token.ts'
import { readPayable, type PayableCapability } from '../quote/payable-agent.ts'
import { agreeOnPayment, type ProvePayment } from '../quote/prove-payment.ts'
import { addReadToken } from '../quote/read-tokens.ts'

/** A job that is written down, and what opens it for its payer. */
export interface OrderedJob {
  readonly job: JobRow
  /** Of a job that was just written down, it also deletes the contents; of a repeat, it only reads. */
  readonly token: string
}

/** Who orders, and how what he orders gets in. */
export type Ordering =
  | {
      readonly kind: 'caller'
      readonly provePayment: ProvePayment
      readonly admit: AdmitOrder
      /** As `callerKey` has it. */
      readonly from: string
    }
  | { readonly kind: 'canary'; readonly provePayment: ProvePayment }

/**
 * Takes an order: checks all that can be known without asking anybody, and writes the job down with the very bytes
 * and the payment that will be sent (D8). It is sent by whoever drives jobs, from this moment on whatever ends.
 *
 * The same order again is the same job, for the same payer (D22): a token of its own comes with it, to read with.
 *
 * @throws {Refusal} with a sentence for the caller; then nothing was written and nothing will be sent
 */
export async function orderJob(
  parts: PlatformParts,
  ordering: Ordering,
  order: JobOrder,
): Promise<OrderedJob> {
  const payment = ordering.provePayment(order.payment)
  const jobId = order.job_id.toLowerCase()
  const inputHash = await loopTurns.take(() => hashJson(order.input))
  const known = await findOrdered(parts, { ...order, job_id: jobId }, payment, inputHash)
  if (known !== undefined) return known
  const payable = await readPayable(parts, order.agent_id, order.capability)
  agreeOnPayment(parts, payment, payable, jobId)
  const body = await writeBody(parts, payable, { ...order, job_id: jobId })
  const { kind } = ordering
  if (kind === 'caller')
    refuseHurry(parts, payable, {
      deadline: body.deadline,
      validBefore: Number(payment.authorization.validBefore),
    })
  const { token, hash } = makeJobToken()
  const { network, authorization, payer } = payment
  const written: NewJob = {
    jobId,
    kind,
    payer,
    inputHash,
    authorization,
    ...body,
    agentId: payable.agentId,
    capability: payable.name,
    payTo: payable.wallet,
    amountAtomic: payable.priceAtomic,
    network: network.id,
    asset: network.asset.address,
    endpoint: payable.endpoint,
    maxDeadlineSeconds: payable.declaration.max_deadline_seconds,
    paymentHeader: order.payment,
    tokenHashes: [hash],
  }
  const job =
    ordering.kind === 'caller'
      ? await ordering.admit(written, ordering.from)
      : await insertJob(parts.database, written, parts.clock.nowMs())
  if (job !== undefined) return { job, token }
  // Somebody was quicker: with this very order, or with the same payment for another job.
  const twin = await findOrdered(parts, { ...order, job_id: jobId }, payment, inputHash)
  if (twin !== undefined) return twin
  throw new Refusal('conflict', 'payment: has paid for another job: one payment pays for one job')
}

async function findOrdered(
  { database }: PlatformParts,
  order: JobOrder,
  { payer }: ProvenPayment,
  inputHash: string,
): Promise<OrderedJob | undefined> {
  const job = await readJob(database, order.job_id)
  if (job === undefined) return undefined
  const isSame =
    job.payer === payer &&
    job.agentId === order.agent_id &&
    job.capability === order.capability &&
    job.inputHash === inputHash
  if (!isSame) throw new Refusal('conflict', 'job_id: is in use for another order')
  const { token, hash } = makeJobToken()
  // Its agent could repeat it too: it was sent this very payment. What it wrote it may read, but not delete.
  await addReadToken(database, job.jobId, hash)
  return { job, token }
}

/** The bytes that will be sent, and the deadline in them (Unix seconds). */
async function writeBody(
  { clock, checker }: Pick<PlatformParts, 'clock' | 'checker'>,
  payable: PayableCapability,
  order: JobOrder,
): Promise<Pick<NewJob, 'requestBody' | 'deadline'>> {
  const { endpoint: agentUrl, declaration, name: capability } = payable
  const input = await checkInput(checker, payable, order.input)
  const deadline = agreeOnDeadline(payable, order.deadline, clock.nowMs() / 1_000)
  const { max_deadline_seconds: deadlineSeconds } = declaration
  const job = { agentUrl, declaration, jobId: order.job_id, capability, input, deadlineSeconds }
  const requestBody = await loopTurns.take(() => jobBody(job, deadline))
  if (Buffer.byteLength(requestBody) <= MAX_BODY_BYTES) return { requestBody, deadline }
  throw new Refusal(
    'validation',
    `input: with the rest of the request, must be at most ${MAX_BODY_BYTES} bytes`,
  )
}

/** As the caller gave it: what is coerced and dropped is the agent's own doing (D19, D20). */
async function checkInput(
  checker: PlatformParts['checker'],
  { agentId, capability }: PayableCapability,
  given: JobOrder['input'],
): Promise<JsonObject> {
  // It was parsed from JSON at the door.
  const input = given as JsonObject
  const fields = JSON.stringify(capability.input_schema)
  const violation = await checker.run('input', { fields, input }, `agent ${agentId}`).catch(refuseUnchecked)
  if (violation === undefined) return input
  throw new Refusal('validation', `input.${violation.field}: ${violation.reason}`)
}

/** Seconds after which the threads have done what they had. */
const CHECK_AGAIN_SECONDS = 5

function refuseUnchecked(error: unknown): never {
  if (!(error instanceof CheckFailed)) throw error
  const options = { cause: error, retryAfterSeconds: CHECK_AGAIN_SECONDS }
  throw new Refusal('unavailable', `input: ${error.message}; nothing was sent`, options)
}

/** Unix seconds: the caller's, or as much time as the agent may take where that is less. */
function agreeOnDeadline({ declaration }: PayableCapability, deadline: number, now: number): number {
  if (deadline >= MILLISECONDS_LOOK_FROM)
    throw new Refusal('validation', 'deadline: must be Unix seconds, this looks like milliseconds')
  if (deadline <= now) throw new Refusal('validation', 'deadline: has passed')
  return Math.min(deadline, now + declaration.max_deadline_seconds)
}

/**
 * An order leaves its agent a fair share of the time it has declared: shorter ones would have handlers run for nothing.
 *
 * @throws {Refusal} `validation`, naming the least time and what leaves less
 */
function refuseHurry(
  { clock }: Pick<PlatformParts, 'clock'>,
  { declaration }: PayableCapability,
  end: OrderEnd,
): void {
  const least = leastDeadlineSeconds(declaration.max_deadline_seconds)
  const left = secondsLeft(end, clock.nowMs())
  if (left >= least) return
  const isPayment = end.validBefore - SETTLE_MARGIN_SECONDS < end.deadline
  const what = isPayment
    ? `payment: validBefore must be at least ${least + SETTLE_MARGIN_SECONDS} s ahead`
    : `deadline: must be at least ${least} s ahead`
  throw new Refusal(
    'validation',
    `${what}: the agent may take ${declaration.max_deadline_seconds} s, this leaves ${Math.max(0, left).toFixed(1)} s`,
  )
}
