import { isObject, parseJson } from '@farebox/client/internal/exchange/parse-json'
import type { JobAnswer } from '@farebox/platform-api/jobs'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import type { RouteAnswer } from '../http/route.ts'
import type { JobRow } from './records/job-row.ts'
import { usableUntil } from './drive/plan-job.ts'

/**
 * A job as its payer sees it. 200 where all is said, 202 with `Retry-After` while more may come.
 *
 * @param shown - the signed receipt where there is one, and the token of a job just ordered
 */
export function showJob(
  job: JobRow,
  shown: { readonly receipt?: string; readonly token?: string } = {},
): RouteAnswer {
  const { receipt, token } = shown
  const body: JobAnswer = {
    job_id: job.jobId,
    agent_id: job.agentId,
    capability: job.capability,
    status: job.state,
    payer: job.payer,
    amount: formatUsdc(job.amountAtomic),
    amount_atomic: job.amountAtomic.toString(),
    created_at: job.createdAtMs / 1_000,
    expires_at: job.expiresAtMs / 1_000,
    finished_at: job.finishedAtMs === undefined ? null : job.finishedAtMs / 1_000,
    charged: job.payment === 'paid',
    payment: {
      status: job.payment === 'dead' ? 'unpaid' : job.payment,
      transaction: job.transaction ?? null,
      usable_until: usableUntil(job),
    },
    output: readOutput(job) ?? null,
    output_problem: job.outputProblem ?? null,
    completed_at: job.completedAt ?? null,
    error_type: job.errorType ?? null,
    error: job.error ?? null,
    charged_without_delivery: job.chargedWithoutDelivery,
    contents_deleted: job.contentsDeletedAtMs !== undefined,
    receipt: receipt ?? null,
    ...(token !== undefined && { job_token: token }),
  }
  const headers = { 'cache-control': 'no-store' }
  return isFinal(job) ? { body, headers } : { status: 202, headers: { ...headers, 'retry-after': '1' }, body }
}

/** What the agent gave, as it came; undefined where it gave nothing, or what it gave was deleted. */
function readOutput({ answer, responseBody }: JobRow): { readonly [field: string]: unknown } | undefined {
  if (answer !== 'completed' || responseBody === undefined) return undefined
  const whole = parseJson(responseBody)
  return isObject(whole) && isObject(whole['output']) ? whole['output'] : undefined
}

/** Nothing more is expected of the agent, and a delivery's payment is decided. */
function isFinal(job: JobRow): boolean {
  if (job.nextDueAtMs === undefined || job.answer === 'failed') return true
  return job.answer === 'completed' && job.payment !== 'open'
}
