import { flowSchema } from '@farebox/flows/internal/document/flow-schema'
import { z } from 'zod'
import { quote } from '../jobs.ts'
import { runJobKey } from './runs.ts'

/** The body of `POST /v1/runs/quote`. */
export const runQuoteRequest = z
  .strictObject({
    flow: flowSchema,
    keys: z
      .array(runJobKey)
      .min(1)
      .max(500)
      .optional()
      .describe('Only these jobs, of a run that waits for their payments; default: one of each paid step'),
  })
  .describe('Requests prices from the agents of a flow, before a payment is signed')

/**
 * The answer of `POST /v1/runs/quote`: the payments to sign, in the order in which the steps can run.
 *
 * @example
 * ```ts
 * import { runQuote, type RunQuote } from '@farebox/platform-api/flows/run-quote'
 *
 * export async function quoteFlow(flow: object): Promise<RunQuote> {
 *   const answer = await fetch('https://platform.example/v1/runs/quote', {
 *     method: 'POST',
 *     headers: { 'content-type': 'application/json' },
 *     body: JSON.stringify({ flow }),
 *   })
 *   return runQuote.parse(await answer.json())
 * }
 * ```
 */
export const runQuote = z.strictObject({
  jobs: z.array(
    z.strictObject({
      key: runJobKey,
      step: z.string(),
      sign: z
        .enum(['now', 'later'])
        .describe(
          'later: it follows a person or an unknown time, or is one of a list: sign when the run requests it',
        ),
      valid_for_seconds: z
        .number()
        .positive()
        .describe(
          'How long from now a payment should be valid: until its step is over at the latest, and for a retry',
        ),
      quote: quote.nullable().describe('The current demand of its agent; null: see `error`'),
      error: z.string().nullable().describe('The reason why there is no quote, in one sentence'),
    }),
  ),
  total: z.string().describe('Decimal USDC of all jobs with a quote, lists at their declared maximum'),
})

/** The type that {@link runQuote} parses to. */
export type RunQuote = z.infer<typeof runQuote>
