import type { ProvenPayment } from '@farebox/payments/x402/verify-signature'
import type { JobOrder } from '@farebox/platform-api/jobs'
import { hashJson } from '@farebox/platform-api/receipt'
import { inLoopTurn } from '../../http/loop-turns.ts'
import { Refusal } from '../../http/refusal.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import { jobFields } from '../records/job-fields.ts'
import { keptTrace, type Trace } from '@farebox/protocol/internal/trace/traceparent'
import type { JobRow } from '../records/job-row.ts'
import { leastDeadlineSeconds } from '../../reputation/fair-deadline.ts'
import type { AdmitOrder } from './admit-order.ts'
import { insertJob, readJob, type NewJob } from '../records/job-store.ts'
import { makeJobToken } from '../records/job-token.ts'
import { readPayable, readRecentPayable } from '../quote/payable-agent.ts'
import { agreeOnPayment, type ProvePayment } from '../quote/prove-payment.ts'
import { addReadToken } from '../quote/read-tokens.ts'
import { refuseHurry, writeOrderBody } from './order-body.ts'

/** A stored job, and the token that opens it for its payer. */
export interface OrderedJob {
  readonly job: JobRow
  /** The token of a new job also allows deleting its contents; the token of a repeat allows only reading. */
  readonly token: string
}

/** The source of an order, and how it is admitted. */
export type Ordering = { readonly trace: Trace } & (
  | {
      readonly kind: 'caller'
      readonly provePayment: ProvePayment
      readonly admit: AdmitOrder
      /** The key of the caller's address from `callerKey`. */
      readonly from: string
      /** The run of a flow that orders; absent when the payer orders directly. */
      readonly runId?: string
    }
  | { readonly kind: 'canary'; readonly provePayment: ProvePayment }
)

/**
 * Accepts an order: checks everything that can be known without asking other services, and stores the job with the exact
 * bytes and payment that will be sent (D8). From then on the workers send it, even if this process ends.
 *
 * Repeating an order returns the same job, for the same payer (D22), with an additional token that allows reading.
 *
 * @throws {Refusal} with a message for the caller; nothing was written and nothing will be sent in that case
 */
export async function orderJob(
  parts: PlatformParts,
  ordering: Ordering,
  order: JobOrder,
): Promise<OrderedJob> {
  const payment = ordering.provePayment(order.payment)
  const jobId = order.job_id.toLowerCase()
  const inputHash = await inLoopTurn(order.input, () => hashJson(order.input))
  // A run orders jobs that do not exist yet; a conflict is found when the job is written.
  const isOfRun = ordering.kind === 'caller' && ordering.runId !== undefined
  const known = isOfRun
    ? undefined
    : await findOrdered(parts, { ...order, job_id: jobId }, payment, inputHash)
  if (known !== undefined) return known
  const { agent_id: agentId, capability } = order
  const payable = isOfRun
    ? await readRecentPayable(parts, agentId, capability)
    : await readPayable(parts, agentId, capability, { isTrial: ordering.kind === 'canary' })
  agreeOnPayment(parts, payment, payable, jobId)
  const body = await writeOrderBody(parts, payable, { ...order, job_id: jobId })
  const { kind } = ordering
  if (kind === 'caller') {
    const { max_deadline_seconds: maxDeadlineSeconds } = payable.declaration
    const { deadline } = body
    const end = { deadline, validBefore: Number(payment.authorization.validBefore) }
    refuseHurry(parts, end, { maxDeadlineSeconds, leastSeconds: leastDeadlineSeconds(maxDeadlineSeconds) })
  }
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
    sealedPayment: parts.seal.seal(jobId, order.payment),
    tokenHashes: [hash],
    trace: keptTrace(ordering.trace),
    ...(ordering.kind === 'caller' && { runId: ordering.runId }),
  }
  const job =
    ordering.kind === 'caller'
      ? await ordering.admit(written, ordering.from)
      : await insertJob(parts.database, written, parts.clock.nowMs())
  if (ordering.kind === 'canary') parts.due.jobs.notify()
  if (job !== undefined) return logOrdered(parts, { job, token })
  // Another request was faster: with this order, or with the same payment for another job.
  const twin = await findOrdered(parts, { ...order, job_id: jobId }, payment, inputHash)
  if (twin !== undefined) return twin
  throw new Refusal('conflict', 'payment: has paid for another job: one payment pays for one job')
}

function logOrdered({ log }: PlatformParts, ordered: OrderedJob): OrderedJob {
  const { agentId: agent, capability, runId: run, ...job } = ordered.job
  log.info('job ordered', { ...jobFields(job), agent, capability, run })
  return ordered
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
  // The agent received this payment and could repeat the order. Its token therefore allows reading but not deleting.
  await addReadToken(database, job.jobId, hash)
  return { job, token }
}
