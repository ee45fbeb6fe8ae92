import { z } from 'zod'
import { badgeName } from './badges.ts'
import { agentHealth } from './monitor.ts'
import { standing } from './registry.ts'
import { agentCategory, OWNERS_WORDS, textWarning } from './search.ts'

/** Notices for payers. */
export const agentNotice = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('not-payable'),
    text: z.string().describe('The reason why callers are not sent to pay it'),
  }),
  z.strictObject({
    kind: z.literal('price-risen'),
    capability: z.string(),
    from: z.string().describe('Decimal USDC'),
    to: z.string().describe('Decimal USDC'),
    since: z.number().int().describe('Unix seconds; shown for seven days'),
    text: z.string(),
  }),
])

/** One capability of an agent, as declared. */
export const agentCapability = z.strictObject({
  name: z.string(),
  description: z.string().describe(OWNERS_WORDS),
  price: z.string().describe('Decimal USDC'),
  price_atomic: z.string(),
  input_schema: z.record(z.string(), z.unknown()).describe('Fields as declared'),
  output_schema: z.record(z.string(), z.unknown()).describe('Fields as declared'),
  permissions: z.array(z.record(z.string(), z.unknown())),
  hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .describe('SHA-256 of schemas and price as canonical JSON: it changes when any of them changes'),
})

const milliseconds = z.int().nonnegative().nullable()

/**
 * The answer of `GET /v1/agents/:agentId`.
 *
 * @example
 * ```ts
 * import { agentPage } from '@farebox/platform-api/agent'
 *
 * const answer = await fetch('https://platform.example/v1/agents/7')
 * const { name, badge, payable } = agentPage.parse(await answer.json())
 * console.log(`${name}, badge ${badge}, ${payable ? 'takes jobs' : 'takes no jobs now'}`)
 * ```
 */
export const agentPage = z.strictObject({
  agent_id: z.number().int(),
  name: z.string().describe(OWNERS_WORDS),
  description: z.string().describe(OWNERS_WORDS),
  text_warnings: z.array(textWarning),
  endpoint: z.string().nullable().describe('Base URL, international names in their ASCII form'),
  owner: z.string().describe('Lower-case address'),
  wallet: z.string().nullable().describe('The paid wallet; lower-case address'),
  registered_at: z.number().int(),
  standing: standing,
  standing_reason: z.string().nullable(),
  payable: z.boolean().describe('Whether the platform sends paid jobs there now'),
  badge: badgeName,
  category: agentCategory.nullable().describe('The category that the owner chose; null: none'),
  health: agentHealth
    .omit({ agent_id: true, timeline: true })
    .nullable()
    .describe('From the checks; null if there are none. More at /v1/agents/{agentId}/health'),
  jobs_done: z.number().int().describe('Paid jobs through this platform, without those of the owner'),
  job_p50_ms: milliseconds.describe(
    'Median duration of the newest paid jobs of other payers; null before the first',
  ),
  job_p95_ms: milliseconds.describe('The 95th percentile of the same jobs'),
  stake: z
    .strictObject({
      amount_wei: z.string().regex(/^\d+$/),
      transaction: z.string(),
      block_number: z.int().nonnegative(),
    })
    .nullable()
    .describe('The stake of its owner, and where it can be looked up; null if it has been returned'),
  last_trial: z
    .strictObject({
      outcome: z.enum(['ok', 'failed', 'skipped']),
      reason: z.string().nullable().describe('The reason for its failure, or for its absence'),
      at: z.number().int().describe('Unix seconds'),
    })
    .nullable()
    .describe('The newest paid daily job of the platform; null if there is none'),
  max_deadline_seconds: z.number().nullable(),
  capabilities: z.array(agentCapability).describe('In declared order: the first one is called by default'),
  declaration_version: z.number().int(),
  refreshed_at: z.number().int().nullable().describe('When the declaration was last read'),
  notices: z.array(agentNotice),
  openapi_url: z.string().describe('This agent as an OpenAPI 3.1 document'),
})

/** The type that {@link agentPage} parses to. */
export type AgentPage = z.infer<typeof agentPage>
/** The type that {@link agentNotice} parses to. */
export type AgentNotice = z.infer<typeof agentNotice>

/** The query of `GET /v1/agents/at`. */
export const agentAtQuery = z.strictObject({
  endpoint: z.string().min(1).max(2_048).describe('The base URL of an agent'),
})

/** `GET /v1/agents/at`: the agent that is listed with an endpoint. */
export const agentAt = z.strictObject({
  agent_id: z.int().positive(),
  name: z.string().describe(OWNERS_WORDS),
})
