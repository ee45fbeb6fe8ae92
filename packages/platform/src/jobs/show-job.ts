import { isObject } from '@farebox/protocol/internal/guards/json'
import { parseAnswerJson } from '@farebox/client/internal/exchange/parse-json'
import type { JobAnswer } from '@farebox/platform-api/jobs'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import type { RouteAnswer } from '../http/route.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { issueReceipt } from '../receipts/issue-receipt.ts'
import { retryState } from './order/retry-state.ts'
import type { JobRow } from './records/job-row.ts'
import { isCharged } from './records/states.ts'
import { usableUntil } from './drive/plan-job.ts'

/**
 * The answer that shows a job to its payer: 200 when the job is final, 202 with `Retry-After` while it may change.
 *
 * @param token - the token of a job just ordered
 */
export async function showJob(parts: JobShowingParts, job: JobRow, token?: string): Promise<RouteAnswer> {
  const body = { ...(await describeJob(parts, job)), ...(token !== undefined && { job_token: token }) }
  const headers = { 'cache-control': 'no-store' }
  return isFinal(job) ? { body, headers } : { status: 202, headers: { ...headers, 'retry-after': '1' }, body }
}

/** The parts needed to show a job. */
export type JobShowingParts = Pick<PlatformParts, 'database' | 'clock' | 'settings'>

/** A job as its payer sees it, with its signed receipt if there is one. `job` must come from `readJob`. */
export async function describeJob(parts: JobShowingParts, job: JobRow): Promise<JobAnswer> {
  const receipt = await issueReceipt(parts, job)
  const retry = retryState(job, parts.clock.nowMs())
  return {
    job_id: job.jobId,
    agent_id: job.agentId,
    agent_name: job.agentName ?? '',
    capability: job.capability,
    status: job.state,
    payer: job.payer,
    amount: formatUsdc(job.amountAtomic),
    amount_atomic: job.amountAtomic.toString(),
    created_at: job.createdAtMs / 1_000,
    expires_at: job.expiresAtMs / 1_000,
    finished_at: job.finishedAtMs === undefined ? null : job.finishedAtMs / 1_000,
    elapsed_ms: job.elapsedMs ?? null,
    charged: isCharged(job),
    payment: {
      status: job.payment === 'dead' ? 'unpaid' : job.payment,
      transaction: job.transaction ?? null,
      block_number: job.blockNumber ?? null,
      pay_to: job.authorization.to.toLowerCase(),
      valid_before: Number(job.authorization.validBefore),
      usable_until: usableUntil(job),
    },
    input: readInput(job) ?? null,
    output: readOutput(job) ?? null,
    output_problem: job.outputProblem ?? null,
    completed_at: job.completedAt ?? null,
    error_type: job.errorType ?? null,
    error: job.error ?? null,
    charged_without_delivery: job.chargedWithoutDelivery,
    retry: retry.possible ? { ...retry, reason: null } : { ...retry, until: null },
    contents_deleted: job.contentsDeletedAtMs !== undefined,
    receipt: receipt ?? null,
  }
}

/** The input of the job; `undefined` once it is deleted. */
function readInput({ requestBody }: JobRow): { readonly [field: string]: unknown } | undefined {
  const whole = requestBody === undefined ? undefined : parseAnswerJson(requestBody)
  const task = isObject(whole) ? whole['task'] : undefined
  return isObject(task) && isObject(task['input']) ? task['input'] : undefined
}

/** The agent's output, unchanged; `undefined` when there is none or it was deleted. */
function readOutput({ answer, responseBody }: JobRow): { readonly [field: string]: unknown } | undefined {
  if (answer !== 'completed' || responseBody === undefined) return undefined
  const whole = parseAnswerJson(responseBody)
  return isObject(whole) && isObject(whole['output']) ? whole['output'] : undefined
}

/** Whether no further answer of the agent is expected, and it is known whether the payer was charged. */
function isFinal(job: JobRow): boolean {
  if (isCharged(job) === null) return false
  return job.nextDueAtMs === undefined || job.answer === 'failed' || job.answer === 'completed'
}
