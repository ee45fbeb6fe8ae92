import { z } from 'zod'

/** The kinds of refusal, as sent in `error_type`; the kind determines the HTTP status. */
export const errorTypes = [
  'validation',
  'unauthorized',
  'payment',
  'forbidden',
  'not_found',
  'conflict',
  'rate_limited',
  'internal',
  'agent',
  'unavailable',
] as const

/**
 * The body of every unsuccessful response, whatever the route and the status (D15).
 *
 * @example
 * ```ts
 * import { failure } from '@farebox/platform-api/errors'
 *
 * const answer = await fetch('https://platform.example/v1/agents/0')
 * if (!answer.ok) {
 *   const { error_type, error } = failure.parse(await answer.json())
 *   console.error(`${error_type}: ${error}`)
 * }
 * ```
 */
export const failure = z
  .strictObject({
    status: z.literal('failed'),
    error_type: z.enum(errorTypes).describe('The kind of refusal'),
    error: z.string().describe('A sentence for people; if a field is at fault, "<field>: <reason>"'),
  })
  .describe('Returned instead of an answer')

/** The type that {@link failure} parses to. */
export type Failure = z.infer<typeof failure>

/** The body of a 204, once it is read as null. */
export const nothing = z.null()
