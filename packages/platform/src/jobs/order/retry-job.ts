import type { ProvenPayment } from '@farebox/payments/x402/verify-signature'
import type { JobRetry } from '@farebox/platform-api/jobs'
import { isObject } from '@farebox/protocol/internal/guards/json'
import { parseAnswerJson } from '@farebox/client/internal/exchange/parse-json'
import { hashJson } from '@farebox/platform-api/receipt'
import { SETTLE_MARGIN_SECONDS } from '@farebox/protocol/limits'
import { inLoopTurn } from '../../http/loop-turns.ts'
import { Refusal } from '../../http/refusal.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import { jobFields } from '../records/job-fields.ts'
import type { JobRow } from '../records/job-row.ts'
import { readPayable, type PayableCapability } from '../quote/payable-agent.ts'
import { agreeOnPayment } from '../quote/prove-payment.ts'
import { isOrderer, type ShownJob } from './open-job.ts'
import { refuseHurry, writeOrderBody, type OrderedWork } from './order-body.ts'
import type { Ordering } from './order-job.ts'
import { leastRetrySeconds, retryState } from './retry-state.ts'

/**
 * Retries a job that its agent failed without charging: with the same job_id and payment, so that at most one attempt is
 * charged. Everything is checked first, as for a new order; then the retry is stored in one statement, and the workers send
 * it.
 *
 * @param known the job that `openJob` returned for the caller
 * @returns the job in its new state
 * @throws {Refusal} with a message for the caller; `conflict` when another request has just retried the job; nothing was
 *   written and nothing will be sent in that case
 */
export async function retryJob(
  parts: PlatformParts,
  ordering: Omit<Extract<Ordering, { readonly kind: 'caller' }>, 'trace'>,
  known: JobRow,
  { retry, shown }: { readonly retry: JobRetry; readonly shown: ShownJob },
): Promise<JobRow> {
  const payment = ordering.provePayment(retry.payment)
  refuseOtherPayment(known, payment)
  const state = retryState(known, parts.clock.nowMs())
  if (!state.possible) throw new Refusal('conflict', `jobId: cannot be tried again: ${state.reason}`)
  const work = { job_id: known.jobId, input: await agreeOnInput(known, retry.input, shown) }
  const payable = await readPayable(parts, known.agentId, known.capability, { isTrial: true })
  agreeOnPayment(parts, payment, payable, known.jobId)
  const deadline = retry.deadline ?? latestDeadline(payable, payment, parts.clock.nowMs())
  const body = await writeBody(parts, payable, known, { ...work, deadline })
  const job = {
    ...known,
    ...body,
    runId: ordering.runId,
    inputHash: await inLoopTurn(work.input, () => hashJson(work.input)),
    endpoint: payable.endpoint,
    maxDeadlineSeconds: payable.declaration.max_deadline_seconds,
    sealedPayment: parts.seal.seal(known.jobId, retry.payment),
  }
  const reopened = await ordering.admit(job, ordering.from, known.attempt)
  if (reopened !== undefined) {
    const { agentId: agent, attempt } = reopened
    parts.log.info('job ordered again', { ...jobFields(reopened), agent, attempt })
    return reopened
  }
  throw new Refusal('conflict', 'jobId: was tried again or charged just now: ask for the job')
}

/** An authorization is identified by payer and nonce; the encoding of its signature makes no difference. */
function refuseOtherPayment(
  { payer, network, asset, authorization: known }: JobRow,
  { payer: signer, network: named, authorization }: ProvenPayment,
): void {
  const isSame =
    signer === payer &&
    named.id === network &&
    named.asset.address === asset &&
    authorization.nonce.toLowerCase() === known.nonce &&
    authorization.to.toLowerCase() === known.to &&
    BigInt(authorization.value) === BigInt(known.value) &&
    BigInt(authorization.validAfter) === BigInt(known.validAfter) &&
    BigInt(authorization.validBefore) === BigInt(known.validBefore)
  if (isSame) return
  throw new Refusal(
    'conflict',
    'payment: is not the one that the job was ordered with: another payment could be charged as well',
  )
}

/** The input to send: the given one, if a new input is allowed, or the previous one. */
async function agreeOnInput(
  known: JobRow,
  given: JobRetry['input'],
  shown: ShownJob,
): Promise<OrderedWork['input']> {
  if (given === undefined) {
    const whole = known.requestBody === undefined ? undefined : parseAnswerJson(known.requestBody)
    const task = isObject(whole) ? whole['task'] : undefined
    if (isObject(task) && isObject(task['input'])) return task['input']
    throw new Refusal('conflict', 'input: is not kept here any more: send it again')
  }
  if ((await inLoopTurn(given, () => hashJson(given))) === known.inputHash) return given
  if (known.keepsInput || known.errorType === 'payment')
    throw new Refusal(
      'conflict',
      'input: must be the one of the order: the agent refused the payment, and may keep what it made of that input',
    )
  if (isOrderer(known, shown)) return given
  throw new Refusal(
    'forbidden',
    'job-token: came with a repeat of the order: for another input show the one of the first answer, or sign in as the payer',
  )
}

/** Unix seconds: all the time the agent may take, limited by the payment. */
function latestDeadline(payable: PayableCapability, { authorization }: ProvenPayment, nowMs: number): number {
  const longest = nowMs / 1_000 + payable.declaration.max_deadline_seconds
  return Math.min(longest, Number(authorization.validBefore) - SETTLE_MARGIN_SECONDS)
}

async function writeBody(
  parts: PlatformParts,
  payable: PayableCapability,
  known: JobRow,
  work: OrderedWork,
): ReturnType<typeof writeOrderBody> {
  const { max_deadline_seconds: maxDeadlineSeconds } = payable.declaration
  const leastSeconds = leastRetrySeconds({ ...known, maxDeadlineSeconds })
  const hurry = { maxDeadlineSeconds, leastSeconds }
  const validBefore = Number(known.authorization.validBefore)
  refuseHurry(parts, { deadline: work.deadline, validBefore }, hurry)
  const body = await writeOrderBody(parts, payable, work)
  // Checked again, because checking the input took time.
  refuseHurry(parts, { deadline: body.deadline, validBefore }, hurry)
  return body
}
