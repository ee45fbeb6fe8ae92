import { z } from 'zod'

const jsonObject = z.record(z.string(), z.unknown())

/** The query of `GET /v1/capabilities`. */
export const capabilitiesQuery = z.strictObject({
  q: z.string().max(200).optional().describe('Search words, as in the search for agents'),
  ids: z
    .string()
    .max(8_000)
    .optional()
    .describe(
      'Only these, also if they are gone: agent number, a dot, the capability in URI encoding; separated ' +
        'by commas',
    ),
  now: z
    .enum(['true', 'false'])
    .optional()
    .describe('With `ids`: `true` asks each agent whether it answers at this moment'),
  accepts: z
    .string()
    .max(8_000)
    .optional()
    .describe(
      'A field as JSON, in the form of an output schema: only capabilities with an input that it can feed, ' +
        'graded',
    ),
  gives: z
    .string()
    .max(8_000)
    .optional()
    .describe(
      'A field as JSON, in the form of an input schema: only capabilities with an output that can feed it, ' +
        'graded',
    ),
  max_price: z
    .string()
    .regex(/^(0|[1-9]\d{0,11})(\.\d{1,6})?$/)
    .optional()
    .describe('Decimal USDC'),
  cursor: z.string().max(8_192).optional().describe('The `next_cursor` of the previous page'),
  limit: z.coerce.number().int().min(1).max(50).default(20).describe('The page size, 1 to 50; default 20'),
})

/** A capability that a flow can order from, in its current state. */
export const offeredCapability = z.strictObject({
  agent_id: z.int().positive(),
  capability: z.string(),
  description: z.string().describe('Its description, in the words of its agent'),
  state: z
    .enum(['online', 'unreachable', 'offline', 'closed', 'gone'])
    .describe(
      'By its last checks; unreachable: these passed, but it does not answer now; closed: it accepts no ' +
        'jobs',
    ),
  reason: z.string().nullable().describe('The reason why it is closed'),
  badge: z.enum(['none', 'verified', 'bronze', 'silver', 'gold']),
  permissions: z
    .array(z.string())
    .describe('The reasons why it moves tokens of its caller, one for each permission'),
  pinned: z
    .strictObject({
      agent_name: z.string(),
      hash: z.string(),
      price: z.string().describe('Decimal USDC'),
      max_deadline_seconds: z.number().positive(),
      input_schema: jsonObject,
      output_schema: jsonObject,
    })
    .nullable()
    .describe('In the form that a flow step pins; null: it is gone'),
  fits: z
    .array(
      z.strictObject({
        port: z.string(),
        grade: z.enum(['same', 'safe', 'lossy']),
        reason: z.string(),
      }),
    )
    .describe(
      'With `accepts` its inputs, with `gives` its outputs that fit, the best first; otherwise empty',
    ),
})

/** The type that {@link offeredCapability} parses to. */
export type OfferedCapability = z.infer<typeof offeredCapability>

/**
 * The answer of `GET /v1/capabilities`: the capabilities that a flow's steps can use, the best match first. Agents without
 * `/about` are left out; without `ids`, so are agents that are offline or take no jobs. The platform grades the fit of a
 * limited number of agents at a time, so a page may hold fewer capabilities than requested, even none, while there is a
 * `next_cursor`.
 *
 * @example
 * ```ts
 * import { capabilitiesAnswer, type OfferedCapability } from '@farebox/platform-api/flows/capabilities'
 *
 * export async function whatTakesText(): Promise<readonly OfferedCapability[]> {
 *   const query = new URLSearchParams({ accepts: JSON.stringify({ type: 'string' }) })
 *   const answer = await fetch(`https://platform.example/v1/capabilities?${query}`)
 *   return capabilitiesAnswer.parse(await answer.json()).capabilities
 * }
 * ```
 */
export const capabilitiesAnswer = z.strictObject({
  capabilities: z.array(offeredCapability),
  next_cursor: z.string().nullable(),
})

/** The type that {@link capabilitiesAnswer} parses to. */
export type CapabilitiesAnswer = z.infer<typeof capabilitiesAnswer>
