import { payerJobs, payerJobsQuery, type JobLine } from '@farebox/platform-api/me/payer-jobs'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import { defineRoute, type Route } from '../http/route.ts'
import { usableUntil } from '../jobs/drive/plan-job.ts'
import { isCharged } from '../jobs/records/states.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { listJobs, type ListedJob } from './list-jobs.ts'
import { readPayerMonths } from './payer-months.ts'

/** The route for a signed-in payer: all jobs this address pays for, from any browser or program. */
export function payerJobsRoute({ database, clock }: PlatformParts): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/me/jobs',
    summary: 'The jobs that your address paid for, and their cost by month',
    access: 'owner',
    perMinute: 120,
    query: payerJobsQuery,
    answers: { 200: { description: 'The newest first, without their contents', schema: payerJobs } },
    async handle({ query, caller }) {
      const isFirst = query.cursor === undefined
      const [{ jobs, next }, months] = await Promise.all([
        listJobs(database, { payer: caller.address }, query),
        isFirst ? readPayerMonths(database, caller.address, clock.nowMs()) : [],
      ])
      return { body: { jobs: jobs.map(toJobLine), next_cursor: next ?? null, months } }
    },
  })
}

function toJobLine(job: ListedJob): JobLine {
  return {
    job_id: job.job_id,
    run_id: job.run_id,
    agent_id: Number(job.agent_id),
    agent_name: job.agent_name,
    capability: job.capability,
    status: job.state,
    charged: isCharged(job),
    amount: formatUsdc(BigInt(job.amount_atomic)),
    created_at: job.created_at.getTime() / 1_000,
    finished_at: job.finished_at === null ? null : job.finished_at.getTime() / 1_000,
    elapsed_ms: job.elapsed_ms,
    error_type: job.error_type,
    error: job.error,
    payment: {
      status: job.payment === 'dead' ? 'unpaid' : job.payment,
      transaction: job.transaction,
      usable_until: usableUntil({ authorization: { validBefore: job.valid_before }, network: job.network }),
    },
  }
}
