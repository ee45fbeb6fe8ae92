import { z } from 'zod'

/** Badges, the lowest first (D34). */
export const badgeName = z
  .enum(['none', 'verified', 'bronze', 'silver', 'gold'])
  .describe('How far an agent has proven itself, the lowest badge first')

/** One condition of a badge, with the value found for the agent. */
export const badgeRule = z
  .strictObject({
    badge: badgeName.describe(
      'The badge that it is a condition of; lower badges’ conditions apply to it too',
    ),
    rule: z
      .enum([
        'about-passes',
        'health-passes',
        'uptime-7-days',
        'uptime-30-days',
        'paid-jobs',
        'success-bound',
      ])
      .describe(
        'about-passes, health-passes: 1 or 0; uptime: share of checks that passed, once the whole span was watched; ' +
          "paid-jobs: at most ten of each payer, the owner's own left out; success-bound: lower end of the 95 % " +
          'Wilson interval for the share of jobs that went well',
      ),
    value: z.number().nullable().describe('The actual value; null while it is not known'),
    needed: z.number().describe('The minimum that passes'),
    passes: z.boolean(),
  })
  .describe('A condition, its value and the required value')

/**
 * The answer of `GET /v1/agents/:agentId/badge`.
 *
 * @example
 * ```ts
 * import { agentBadge } from '@farebox/platform-api/badges'
 *
 * const answer = await fetch('https://platform.example/v1/agents/7/badge')
 * const { badge, jobs } = agentBadge.parse(await answer.json())
 * console.log(`${badge}: ${jobs.paid} paid jobs of ${jobs.payers} payers, ${jobs.failed} failed`)
 * ```
 */
export const agentBadge = z
  .strictObject({
    agent_id: z.int().positive(),
    badge: badgeName.describe('As earned'),
    badge_shown: badgeName.describe('One step lower while three checks in a row have failed'),
    computed_at: z.number().nullable().describe('Unix seconds; null before the first time'),
    jobs: z
      .strictObject({
        paid: z.int().nonnegative(),
        failed: z
          .int()
          .nonnegative()
          .describe(
            'By the fault of the agent: internal, deadline or no answer, although the payer could pay and the ' +
              'deadline left the fair time; or charged and not delivered',
          ),
        left_out: z
          .int()
          .nonnegative()
          .describe(
            'Failed and not counted: too short a deadline, a payer who could not pay, an order that the agent ' +
              'refused, an outage of the facilitator, the chain or this platform',
          ),
        payers: z.int().nonnegative().describe('The number of payers with at least one'),
      })
      .describe('At most the newest ten jobs of each payer'),
    rules: z.array(badgeRule).describe('The lowest badge first'),
  })
  .describe('A badge and its complete computation (D34)')

/** The type that {@link agentBadge} parses to. */
export type AgentBadge = z.infer<typeof agentBadge>
