import { jobBody } from '@farebox/client/internal/attempt/plan-job'
import type { JobOrder } from '@farebox/platform-api/jobs'
import type { JsonObject } from '@farebox/protocol/fields/field'
import { MAX_BODY_BYTES, MILLISECONDS_LOOK_FROM, SETTLE_MARGIN_SECONDS } from '@farebox/protocol/limits'
import { CheckFailed } from '../../checking/checker.ts'
import { inLoopTurn } from '../../http/loop-turns.ts'
import { Refusal } from '../../http/refusal.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import { secondsLeft, type OrderEnd } from '../../reputation/fair-deadline.ts'
import type { NewJob } from '../records/job-store.ts'
import type { PayableCapability } from '../quote/payable-agent.ts'

/** The fields of an order that become part of the bytes sent to the agent. */
export type OrderedWork = Pick<JobOrder, 'job_id' | 'input' | 'deadline'>

/**
 * The bytes to send, and the deadline in them (Unix seconds).
 *
 * @throws {Refusal} `validation` for an input or a deadline that the capability does not accept; `unavailable` when the
 *   input cannot be checked now
 */
export async function writeOrderBody(
  { clock, checker }: Pick<PlatformParts, 'clock' | 'checker'>,
  payable: PayableCapability,
  order: OrderedWork,
): Promise<Pick<NewJob, 'requestBody' | 'deadline'>> {
  const { endpoint: agentUrl, declaration, name: capability } = payable
  const input = await checkInput(checker, payable, order.input)
  const deadline = agreeOnDeadline(payable, order.deadline, clock.nowMs() / 1_000)
  const { max_deadline_seconds: deadlineSeconds } = declaration
  const job = { agentUrl, declaration, jobId: order.job_id, capability, input, deadlineSeconds }
  const requestBody = await inLoopTurn(input, () => jobBody(job, deadline))
  if (Buffer.byteLength(requestBody) <= MAX_BODY_BYTES) return { requestBody, deadline }
  throw new Refusal(
    'validation',
    `input: with the rest of the request, must be at most ${MAX_BODY_BYTES} bytes`,
  )
}

/** Returns the input as the caller gave it, because coercing and dropping values is the agent's task (D19, D20). */
async function checkInput(
  checker: PlatformParts['checker'],
  { agentId, capability }: PayableCapability,
  given: JobOrder['input'],
): Promise<JsonObject> {
  // Safe: the body was parsed from JSON.
  const input = given as JsonObject
  const fields = JSON.stringify(capability.input_schema)
  const violation = await checker.run('input', { fields, input }, `agent ${agentId}`).catch(refuseUnchecked)
  if (violation === undefined) return input
  throw new Refusal('validation', `input.${violation.field}: ${violation.reason}`)
}

/** Seconds after which the queue of checks is expected to be empty. */
const CHECK_AGAIN_SECONDS = 5

function refuseUnchecked(error: unknown): never {
  if (!(error instanceof CheckFailed)) throw error
  const options = { cause: error, retryAfterSeconds: CHECK_AGAIN_SECONDS }
  throw new Refusal('unavailable', `input: ${error.message}; nothing was sent`, options)
}

/** The deadline in Unix seconds: the caller's, limited to the time the agent may take. */
function agreeOnDeadline({ declaration }: PayableCapability, deadline: number, now: number): number {
  if (deadline >= MILLISECONDS_LOOK_FROM)
    throw new Refusal('validation', 'deadline: must be Unix seconds, this looks like milliseconds')
  if (deadline <= now) throw new Refusal('validation', 'deadline: has passed')
  return Math.min(deadline, now + declaration.max_deadline_seconds)
}

/**
 * Refuses an order that leaves its agent less than a fair share of its declared time, because the handler would run for
 * nothing.
 *
 * @throws {Refusal} `validation`, with the minimum time and the field that leaves less
 */
export function refuseHurry(
  { clock }: Pick<PlatformParts, 'clock'>,
  end: OrderEnd,
  {
    maxDeadlineSeconds,
    leastSeconds,
  }: { readonly maxDeadlineSeconds: number; readonly leastSeconds: number },
): void {
  const left = secondsLeft(end, clock.nowMs())
  if (left >= leastSeconds) return
  const isPayment = end.validBefore - SETTLE_MARGIN_SECONDS < end.deadline
  const what = isPayment
    ? `payment: validBefore must be at least ${leastSeconds + SETTLE_MARGIN_SECONDS} s ahead`
    : `deadline: must be at least ${leastSeconds} s ahead`
  throw new Refusal(
    'validation',
    `${what}: the agent may take ${maxDeadlineSeconds} s, this leaves ${Math.max(0, left).toFixed(1)} s`,
  )
}
