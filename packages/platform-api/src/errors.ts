import { z } from 'zod'

/** The kinds of refusal, as `error_type` has them; the HTTP status follows from the kind. */
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
 * The body of every answer without success, whatever the route and the status (D15).
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
    error_type: z.enum(errorTypes).describe('What kind of refusal it is'),
    error: z.string().describe('A sentence for people; where a field is at fault, "<field>: <reason>"'),
  })
  .describe('Told instead of an answer')

/** {@link failure}, as it travels. */
export type Failure = z.infer<typeof failure>

/** The body of a 204, once it is read as null. */
export const nothing = z.null()
