import { flowSchema } from '@farebox/flows/internal/document/flow-schema'
import { z } from 'zod'
import { failure } from '../errors.ts'

const unixSeconds = z.number().nonnegative().describe('Unix seconds')
const jsonObject = z.record(z.string(), z.unknown())

/** The path of the routes under `/v1/flows/:flowId`. */
export const flowPath = z.object({ flowId: z.uuid() })

/** The query of `GET /v1/flows/:flowId`. */
export const flowQuery = z.strictObject({
  version: z.coerce.number().int().positive().optional().describe('An earlier version; default: the newest'),
})

/** The body of `POST /v1/flows`. */
export const flowCreate = z.strictObject({ flow: flowSchema })

/** The body of `PUT /v1/flows/:flowId`. */
export const flowUpdate = z.strictObject({
  flow: flowSchema,
  revision: z.int().positive().describe('The revision that was changed: if another was saved since, 409'),
})

/** The body of a 409 response of `PUT /v1/flows/:flowId`: the saved revision, and who saved it. */
export const flowConflict = z.strictObject({
  ...failure.shape,
  revision: z.int().positive().optional().describe('Of the stored revision'),
  changed_at: unixSeconds.optional(),
  changed_by: z.enum(['this session', 'another session']).optional().describe('Of the same address'),
})

/** The type that {@link flowConflict} parses to. */
export type FlowConflict = z.infer<typeof flowConflict>

/** A flow saved for the signed-in address. */
export const savedFlow = z.strictObject({
  flow_id: z.uuid(),
  name: z.string(),
  revision: z.int().positive().describe('Raised by every save'),
  version: z.int().positive().describe('Of this document; saves within ten minutes are one version'),
  flow: jsonObject,
  created_at: unixSeconds,
  changed_at: unixSeconds,
  share_id: z.string().nullable().describe('Opens a copy for anyone with the link; null: it is not shared'),
})

/**
 * The type that {@link savedFlow} parses to.
 *
 * @example
 * ```ts
 * import type { SavedFlow } from '@farebox/platform-api/flows/saved-flows'
 *
 * export function linkTo({ share_id }: SavedFlow): string | undefined {
 *   return share_id === null ? undefined : `https://platform.example/shared/${share_id}`
 * }
 * ```
 */
export type SavedFlow = z.infer<typeof savedFlow>

/** One flow in a list. */
export const flowLine = z.strictObject({
  flow_id: z.uuid(),
  name: z.string(),
  jobs: z.int().nonnegative().describe('Paid steps'),
  price: z.string().describe('Decimal USDC: all pinned prices together, lists at their declared maximum'),
  changed_at: unixSeconds,
  broken: z
    .boolean()
    .describe('A capability that it orders is gone, or changed so that the flow cannot be run'),
})

/** The query of `GET /v1/flows`. */
export const flowsQuery = z.strictObject({
  cursor: z.string().max(80).optional().describe('The `next_cursor` of the previous page'),
  limit: z.coerce.number().int().min(1).max(100).default(20).describe('The page size, 1 to 100; default 20'),
})

/**
 * `GET /v1/flows`: the flows of the signed-in address, the most recently changed first. A page may hold fewer flows than
 * requested while there is a `next_cursor`.
 */
export const flowsAnswer = z.strictObject({ flows: z.array(flowLine), next_cursor: z.string().nullable() })

/** The type that {@link flowsAnswer} parses to. */
export type FlowsAnswer = z.infer<typeof flowsAnswer>

/** `GET /v1/flows/:flowId/versions`, the newest first. */
export const flowVersions = z.strictObject({
  versions: z.array(z.strictObject({ version: z.int().positive(), saved_at: unixSeconds, name: z.string() })),
})

/** The type that {@link flowVersions} parses to. */
export type FlowVersions = z.infer<typeof flowVersions>

/** The answer of `POST /v1/flows/:flowId/share`. */
export const flowShared = z.strictObject({ share_id: z.string() })

/** The path of `GET /v1/shared/:shareId`. */
export const sharedPath = z.object({ shareId: z.string().max(64) })

/** `GET /v1/shared/:shareId`: the flow without the constants that its owner marked secret. */
export const sharedFlow = z.strictObject({ name: z.string(), flow: jsonObject, changed_at: unixSeconds })

/** The type that {@link sharedFlow} parses to. */
export type SharedFlow = z.infer<typeof sharedFlow>

/** A template: a flow to start from. */
export const flowTemplate = z.strictObject({
  template_id: z.string(),
  name: z.string(),
  description: z.string(),
  price: z.string().describe('Decimal USDC'),
  agents: z.array(z.string()).describe('The agents that it orders from, by name'),
  sample_input: jsonObject.describe('A sample input'),
  flow: jsonObject,
})

/** The type that {@link flowTemplate} parses to. */
export type FlowTemplate = z.infer<typeof flowTemplate>

/** `GET /v1/flows/templates`: the templates whose agents are all listed here, pinned to the agents' current terms. */
export const templatesAnswer = z.strictObject({ templates: z.array(flowTemplate) })

/** The type that {@link templatesAnswer} parses to. */
export type TemplatesAnswer = z.infer<typeof templatesAnswer>

/** The body of `POST /v1/flows/dry-run`. */
export const dryRunRequest = z.strictObject({
  flow: flowSchema,
  input: jsonObject.optional().describe('Default: a sample of the inputs of the flow'),
})

/** `POST /v1/flows/dry-run`: the result of the flow on sample data. No agent is called and nothing is paid. */
export const dryRunAnswer = z.strictObject({
  input: jsonObject,
  steps: z.array(
    z.strictObject({
      step: z.string(),
      state: z.enum(['done', 'skipped', 'failed', 'waiting']),
      reason: z.string().nullable(),
      outputs: jsonObject.nullable().describe('Outputs of jobs: samples that match their schemas'),
    }),
  ),
  output: jsonObject,
})

/** The type that {@link dryRunAnswer} parses to. */
export type DryRunAnswer = z.infer<typeof dryRunAnswer>
