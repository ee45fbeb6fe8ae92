import { z } from 'zod'
import { jobCharged, jobStatus, paymentStatus } from '../jobs.ts'

const unixSeconds = z.number().nonnegative().describe('Unix seconds')
const decimalUsdc = z.string().describe('Decimal USDC')

/** The most jobs of one page. */
export const MAX_JOBS_PER_PAGE = 100

/** The query parameters that both lists of jobs share. */
const page = {
  status: jobStatus.optional().describe('Only jobs of this status'),
  cursor: z.string().max(80).optional().describe('The `next_cursor` of the previous page'),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_JOBS_PER_PAGE)
    .default(20)
    .describe('The page size, 1 to 100; default 20'),
}

/** The query of `GET /v1/me/jobs`. */
export const payerJobsQuery = z.strictObject(page)

/** The query of `GET /v1/me/agents/:agentId/jobs`. */
export const ownerJobsQuery = z.strictObject({
  ...page,
  job_id: z.uuid().optional().describe('Only this job'),
})

/** A job in the list of its payer. */
export const jobLine = z
  .strictObject({
    job_id: z.string(),
    run_id: z
      .uuid()
      .nullable()
      .describe('The run of a flow that ordered it; null: a caller ordered it directly'),
    agent_id: z.int().positive(),
    agent_name: z.string().describe('The current name of the agent'),
    capability: z.string(),
    status: jobStatus,
    charged: jobCharged,
    amount: decimalUsdc,
    created_at: unixSeconds,
    finished_at: unixSeconds.nullable().describe('The time of completion or failure; null: neither yet'),
    elapsed_ms: z.int().nonnegative().nullable().describe('From the request to the agent’s answer'),
    error_type: z.string().nullable(),
    error: z.string().nullable().describe('After a failure: the reason, in the words of the agent'),
    payment: z.strictObject({
      status: paymentStatus,
      transaction: z.string().nullable(),
      usable_until: unixSeconds.describe('Until then the payment may still be charged'),
    }),
  })
  .describe('A job in the list of its payer, without its contents')

/** The type that {@link jobLine} parses to. */
export type JobLine = z.infer<typeof jobLine>

/**
 * `GET /v1/me/jobs`: the jobs that the signed-in address ordered and paid for, the newest first.
 *
 * @example
 * ```ts
 * import { payerJobs } from '@farebox/platform-api/me/payer-jobs'
 *
 * const answer = await fetch('https://platform.example/v1/me/jobs?status=completed', {
 *   headers: { authorization: `Bearer ${process.env['SESSION_TOKEN']}` },
 * })
 * const { jobs, months } = payerJobs.parse(await answer.json())
 * for (const { created_at, capability, amount } of jobs) console.log(created_at, capability, amount)
 * for (const { month, paid } of months) console.log(`${month}: ${paid} USDC`)
 * ```
 */
export const payerJobs = z
  .strictObject({
    jobs: z.array(jobLine),
    next_cursor: z.string().nullable().describe('Pass it as ?cursor= for the following jobs'),
    months: z
      .array(
        z.strictObject({
          month: z
            .string()
            .regex(/^\d{4}-\d{2}$/)
            .describe('UTC: "2026-11"'),
          jobs: z.int().nonnegative().describe('All jobs ordered in it, with any outcome'),
          paid: decimalUsdc.describe('The amount charged for them, as proven on the chain'),
        }),
      )
      .describe(
        'The newest first, at most 12, independent of the status filter; empty with a cursor. For a payer ' +
          'with more than 20,000 jobs in these months, only the whole months among the newest 20,000',
      ),
  })
  .describe('Jobs of a payer')

/** The type that {@link payerJobs} parses to. */
export type PayerJobs = z.infer<typeof payerJobs>
