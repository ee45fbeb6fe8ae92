import { flowSchema } from '@farebox/flows/internal/document/flow-schema'
import { z } from 'zod'

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address')
  .transform(text => text.toLowerCase())

/** The body of `POST /v1/flows/check`. */
export const flowCheckRequest = z.strictObject({
  flow: flowSchema,
  payer: address.optional().describe('The address whose balance is compared with the price'),
})

const edit = z
  .looseObject({ edit: z.string() })
  .describe('One change of the flow, in the format of `applyEdit` of @farebox/flows')

const portRef = z.strictObject({ step: z.string(), port: z.string() })

/** A problem of a flow, or a note to read before paying for it. */
export const flowFinding = z.strictObject({
  id: z.string().describe('The same for the same finding after other changes of the flow'),
  severity: z
    .enum(['error', 'warning', 'note'])
    .describe('error: it cannot be run; warning: it can fail while it runs; note: nothing to do'),
  step: z.string().optional().describe('The step concerned, `input` or `output`; absent: the whole flow'),
  port: z.string().optional(),
  message: z.string().describe('One sentence'),
  repairs: z
    .array(z.strictObject({ label: z.string().describe('The label of a button'), edits: z.array(edit) }))
    .describe('The possible fixes, the best first'),
})

/** The type that {@link flowFinding} parses to. */
export type FlowFinding = z.infer<typeof flowFinding>

/**
 * The answer of `POST /v1/flows/check`: a flow checked against the current declarations of its agents, before it is paid
 * for.
 *
 * @example
 * ```ts
 * import { flowChecked, type FlowChecked } from '@farebox/platform-api/flows/flow-check'
 *
 * export async function check(flow: object): Promise<FlowChecked> {
 *   const answer = await fetch('https://platform.example/v1/flows/check', {
 *     method: 'POST',
 *     headers: { 'content-type': 'application/json' },
 *     body: JSON.stringify({ flow }),
 *   })
 *   return flowChecked.parse(await answer.json())
 * }
 * ```
 */
export const flowChecked = z.strictObject({
  ok: z.boolean().describe('No finding is an error: it can be run'),
  findings: z.array(flowFinding).describe('Errors first, then warnings, then notes'),
  wires: z
    .array(
      z.strictObject({
        wire: z.strictObject({ from: portRef, to: portRef }),
        grade: z
          .enum(['same', 'safe', 'lossy', 'impossible', 'broken'])
          .describe('broken: one of its ends is missing'),
        reason: z.string(),
      }),
    )
    .describe('In the order of the document'),
  price: z
    .strictObject({
      at_least: z.string().describe('Decimal USDC'),
      at_most: z.string().describe('Decimal USDC'),
    })
    .describe('The minimum and the maximum over all branches'),
  duration: z.strictObject({
    seconds: z.number().describe('Along the longest path, with each agent’s maximum time'),
    path: z.array(z.string()).describe('The steps on that path'),
    waits_for: z.array(z.enum(['person', 'time'])),
  }),
  input_schema: z.record(z.string(), z.unknown()).describe('The inputs of a run'),
  output_schema: z.record(z.string(), z.unknown()).describe('The outputs of a run'),
})

/** The type that {@link flowChecked} parses to. */
export type FlowChecked = z.infer<typeof flowChecked>
