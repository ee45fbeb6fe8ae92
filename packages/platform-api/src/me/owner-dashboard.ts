import { z } from 'zod'
import { availability } from '../monitor.ts'
import { jobCharged, jobStatus } from '../jobs.ts'
import { capabilityDashboard, jobCounts, ownedAgent } from '../owners.ts'

const seconds = z.number().int().describe('Unix seconds')
const agentId = z.number().int().positive().describe('The registry’s token id')
const { earned, earned_atomic, success, p50_ms, p95_ms } = capabilityDashboard.shape

/** The most agents of an owner that the overview includes. */
export const MAX_DASHBOARD_AGENTS = 50

/** The query of `GET /v1/me/dashboard`. */
export const ownerDashboardQuery = z.strictObject({
  days: z
    .enum(['7', '14', '30'])
    .default('7')
    .transform(Number)
    .describe('The period in whole UTC days, including today: 7, 14 or 30; default 7'),
})

/** A job as the owner of its agent sees it: without its contents and its payer. */
export const ownerJobLine = z
  .strictObject({
    job_id: z.string(),
    agent_id: agentId,
    capability: z.string(),
    status: jobStatus,
    error_type: z.string().nullable(),
    charged: jobCharged,
    amount: z.string().describe('Decimal USDC'),
    created_at: z.number().nonnegative().describe('Unix seconds'),
    elapsed_ms: z.int().nonnegative().nullable().describe('From the request to the agent’s answer'),
  })
  .describe('A job of an agent, for its owner')

/** The type that {@link ownerJobLine} parses to. */
export type OwnerJobLine = z.infer<typeof ownerJobLine>

/** `GET /v1/me/agents/:agentId/jobs`: the jobs of an agent, the newest first. */
export const ownerJobs = z
  .strictObject({
    jobs: z.array(ownerJobLine),
    next_cursor: z.string().nullable().describe('Pass it as ?cursor= for the following jobs'),
  })
  .describe('Jobs that the platform sent an agent for callers, without its own daily ones')

/** The type that {@link ownerJobs} parses to. */
export type OwnerJobs = z.infer<typeof ownerJobs>

/** A matter that needs an owner's attention. */
export const ownerNotice = z
  .strictObject({
    kind: z
      .enum([
        'offline',
        'warned',
        'refused',
        'taken_down',
        'not_payable',
        'provisional',
        'not_read',
        'breaks_flows',
      ])
      .describe(
        'offline: five checks in a row failed; warned: three or four did; refused and taken_down: not ' +
          'listed; not_payable: its wallet differs from the proven one; provisional: serves no /about; ' +
          'not_read: the newest inspection failed, and the previous declaration is kept; breaks_flows: stored ' +
          'flows order capabilities that it no longer offers',
      ),
    agent_id: agentId,
    name: z.string(),
    text: z.string().describe('The problem, in one sentence'),
    since: seconds.nullable().describe('Null: not known'),
  })
  .describe('A notice about an agent for its owner')

/** The type that {@link ownerNotice} parses to. */
export type OwnerNotice = z.infer<typeof ownerNotice>

/** One agent of the overview. */
export const dashboardAgent = z.strictObject({
  agent_id: agentId,
  name: z.string(),
  standing: ownedAgent.shape.standing,
  standing_reason: z.string().nullable(),
  availability,
  warned: z.boolean().describe('Online, but three or four checks in a row have failed'),
  consecutive_failures: z.int().nonnegative(),
  checked_at: seconds.nullable().describe('The newest check that counted'),
  badge: ownedAgent.shape.badge,
  hours: z
    .array(z.strictObject({ at: seconds, ok: z.int().nonnegative(), failed: z.int().nonnegative() }))
    .describe('Checks by the hour, of seven days, the oldest first; hours without a check are left out'),
  jobs: jobCounts,
  success,
  p50_ms,
  p95_ms,
  earned,
  registered_at: seconds,
})

/** The type that {@link dashboardAgent} parses to. */
export type DashboardAgent = z.infer<typeof dashboardAgent>

/**
 * `GET /v1/me/dashboard`: all agents of the signed-in owner together. Counts the jobs that the platform sent for callers,
 * without the platform's own daily test jobs.
 *
 * @example
 * ```ts
 * import { ownerDashboard } from '@farebox/platform-api/me/owner-dashboard'
 *
 * const answer = await fetch('https://platform.example/v1/me/dashboard?days=14', {
 *   headers: { authorization: `Bearer ${process.env['SESSION_TOKEN']}` },
 * })
 * const { earned, notices } = ownerDashboard.parse(await answer.json())
 * console.log(`${earned} USDC earned`)
 * for (const { name, text } of notices) console.log(`${name}: ${text}`)
 * ```
 */
export const ownerDashboard = z
  .strictObject({
    address: z.string().describe('The signed-in address, in lower case'),
    from: seconds.describe('Unix seconds; UTC midnight'),
    to: seconds,
    jobs: jobCounts,
    success,
    p50_ms,
    p95_ms,
    earned,
    earned_atomic,
    open: z
      .strictObject({ jobs: z.int().nonnegative(), amount: z.string().describe('Decimal USDC') })
      .describe('Jobs without an outcome now, of any age, and their possible earnings'),
    series: z
      .array(
        z.strictObject({
          day: seconds.describe('Unix seconds; UTC midnight'),
          agent_id: agentId,
          capability: z.string(),
          earned,
          earned_atomic,
          jobs: z.int().nonnegative().describe('All jobs of that day, with any outcome'),
        }),
      )
      .describe('By the day of the order, the oldest first; days without jobs are left out'),
    agents: z.array(dashboardAgent).describe('By their numbers; the first 50'),
    notices: z.array(ownerNotice).describe('The most serious first'),
    latest_jobs: z.array(ownerJobLine).describe('The newest ten'),
  })
  .describe('A summary of an owner’s agents')

/** The type that {@link ownerDashboard} parses to. */
export type OwnerDashboard = z.infer<typeof ownerDashboard>
