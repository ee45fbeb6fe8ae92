import { z } from 'zod'

const unixSeconds = z.number().nonnegative().describe('Unix seconds')
const share = z.number().min(0).max(1).nullable()

/** Whether an agent is reachable, as the platform sees it (interface, "Agent availability"). */
export const availability = z
  .enum(['waiting', 'online', 'offline'])
  .describe(
    'waiting: not checked yet; online; offline: five checks in a row or more have failed, and it is hidden from the search',
  )

/** The results of an hour's checks. */
export const checkedHour = z.strictObject({
  at: unixSeconds.describe('Unix seconds; when the hour begins'),
  ok: z.int().nonnegative(),
  failed: z.int().nonnegative(),
  latency_min_ms: z.number().nullable().describe('Of the checks that passed; null if none did'),
  latency_mean_ms: z.number().nullable(),
  latency_max_ms: z.number().nullable(),
})

/** The query of `GET /v1/agents/:agentId/health`. */
export const agentHealthQuery = z.strictObject({
  days: z.coerce.number().int().min(1).max(35).default(7).describe('The period of the timeline'),
})

/** The answer of `GET /v1/agents/:agentId/health`. */
export const agentHealth = z
  .strictObject({
    agent_id: z.int().positive(),
    availability,
    warned: z
      .boolean()
      .describe('Online, but three or four checks in a row have failed: the badge is shown one step lower'),
    consecutive_failures: z.int().nonnegative(),
    checked_at: unixSeconds.nullable().describe('The newest check that counted'),
    last_ok_at: unixSeconds.nullable(),
    last_failure: z
      .enum([
        'refused-address',
        'unreachable',
        'too-slow',
        'too-large',
        'not-acceptable',
        'wrong-status',
        'not-json',
        'not-health',
        'wrong-name',
      ])
      .nullable()
      .describe('Why the newest check failed; null if it passed'),
    watched_since: unixSeconds.nullable(),
    uptime_7d: share.describe('Share of passed checks in the last 7 days, as far as there were any'),
    uptime_30d: share.describe('The same for 30 UTC days, the last of which is today'),
    latency_p50_ms: z.number().nullable().describe('Of the passed checks of 7 days'),
    latency_p95_ms: z.number().nullable(),
    timeline: z.array(checkedHour).describe('The oldest first; hours without a check are left out'),
  })
  .describe('The availability and latency of an agent')

/** The type that {@link agentHealth} parses to. */
export type AgentHealth = z.infer<typeof agentHealth>

/** The query of `GET /v1/agents/:agentId/health/days`. */
export const healthDaysQuery = z.strictObject({
  days: z.coerce.number().int().min(1).max(90).default(90).describe('The period in whole UTC days'),
})

/** The answer of `GET /v1/agents/:agentId/health/days`. */
export const healthDays = z
  .strictObject({
    agent_id: z.int().positive(),
    from: unixSeconds.describe('Unix seconds; UTC midnight of the first requested day'),
    to: unixSeconds,
    days: z
      .array(
        z.strictObject({
          at: unixSeconds.describe('Unix seconds; UTC midnight'),
          ok: z.int().nonnegative(),
          failed: z.int().nonnegative(),
          offline_seconds: z
            .int()
            .nonnegative()
            .nullable()
            .describe('How long it was offline: five checks in a row had failed. Null if it is not known'),
        }),
      )
      .describe('The oldest first; days without a check are left out'),
  })
  .describe('The results of the checks, by day')

/** The type that {@link healthDays} parses to. */
export type HealthDays = z.infer<typeof healthDays>

/** The body of `PUT /v1/me/agents/:agentId/webhook`. */
export const webhookRequest = z.strictObject({
  url: z.string().min(1).max(2_048).describe('The URL to which notices are sent by POST; https'),
})

/** The events that a webhook reports. */
export const webhookEvent = z
  .enum([
    'agent.warned',
    'agent.offline',
    'agent.back',
    'agent.not_payable',
    'agent.test',
    'owner.limit_near',
    'owner.limit_reached',
  ])
  .describe(
    'agent.not_payable: it could not accept a payment, and gets no orders for a day or until its owner ' +
      'has it inspected again. agent.test: a test of the webhook, without an event. owner.limit_near: four ' +
      'fifths of the settlements of this UTC day are used, over all agents of the owner; ' +
      'owner.limit_reached: all of them',
  )

/** A webhook in the form that its owner reads. */
export const webhook = z
  .strictObject({
    agent_id: z.int().positive(),
    url: z.string(),
    created_at: unixSeconds,
    last_delivery: z
      .strictObject({
        event: webhookEvent,
        state: z.enum(['waiting', 'delivered', 'given-up']),
        created_at: unixSeconds,
        delivered_at: unixSeconds.nullable().describe('When the receiver accepted it; null: not yet'),
        attempts: z.int().nonnegative(),
        failure: z.string().nullable().describe('The reason why the newest attempt failed'),
      })
      .nullable()
      .describe('The newest notice; null before the first'),
  })
  .describe('The webhook for notices that an agent is failing, offline, or back')

/** The type that {@link webhook} parses to. */
export type Webhook = z.infer<typeof webhook>

/** The answer to setting a webhook. */
export const webhookMade = z.strictObject({
  agent_id: z.int().positive(),
  url: z.string(),
  secret: z
    .string()
    .describe(
      'Shown this once. Each notice has the header farebox-signature: t=<Unix seconds>,v1=<hex of HMAC-SHA256 under this ' +
        'secret over "<t>.<body>">',
    ),
})

/** The type that {@link webhookMade} parses to. */
export type WebhookMade = z.infer<typeof webhookMade>

/**
 * The body of a notice. A notice is delivered at least once; a repeated delivery has the same `delivery_id`.
 *
 * @example
 * ```ts
 * import { webhookNotice } from '@farebox/platform-api/monitor'
 *
 * // `body`: the body that the webhook received, after its signature was checked.
 * export function describeNotice(body: string): string {
 *   const { event, name, consecutive_failures } = webhookNotice.parse(JSON.parse(body))
 *   return `${event}: ${name}, ${consecutive_failures} checks failed in a row`
 * }
 * ```
 */
export const webhookNotice = z
  .strictObject({
    delivery_id: z.uuid(),
    event: webhookEvent,
    agent_id: z.int().positive(),
    name: z.string(),
    consecutive_failures: z.int().nonnegative(),
    is_offline: z.boolean(),
    badge: z.enum(['none', 'verified', 'bronze', 'silver', 'gold']).describe('As shown now'),
    at: unixSeconds.describe('Unix seconds; the time of the check, the payment or the limit reading'),
    reason: z.string().optional().describe('Of agent.not_payable'),
    settlements: z
      .strictObject({
        used: z.int().nonnegative().describe('Of this UTC day'),
        limit: z.int().positive(),
        expected_at: unixSeconds
          .nullable()
          .describe('When they are used up at the pace of today; null if they last'),
        resets_at: unixSeconds.describe('When the day ends'),
      })
      .optional()
      .describe('Of owner.limit_near and owner.limit_reached'),
  })
  .describe('The body of a webhook notice')

/** The answer of `POST /v1/me/agents/:agentId/webhook/test`. */
export const webhookTested = z.strictObject({
  agent_id: z.int().positive(),
  url: z.string(),
  delivered: z.boolean().describe('Whether the receiver answered 2xx; it is tried once'),
  failure: z.string().nullable().describe('The reason, if not'),
})

/** The type that {@link webhookTested} parses to. */
export type WebhookTested = z.infer<typeof webhookTested>
