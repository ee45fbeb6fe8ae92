import { z } from 'zod'

/** The body of `POST /v1/agents/:agentId/drift`. */
export const driftRequest = z.strictObject({
  declaration: z
    .record(z.string(), z.unknown())
    .describe('The planned response of /about: an `agent.json` with its wallet filled in'),
})

/**
 * The answer of `POST /v1/agents/:agentId/drift`: how many of the flows saved on this platform a new declaration of the
 * agent would break. The answer does not reveal the owners of the flows, and the values in the flows do not affect it.
 *
 * @example
 * ```ts
 * import { agentDrift, type AgentDrift } from '@farebox/platform-api/flows/drift'
 *
 * export async function whatBreaks(agentId: number, declaration: object): Promise<AgentDrift> {
 *   const answer = await fetch(`https://platform.example/v1/agents/${agentId}/drift`, {
 *     method: 'POST',
 *     headers: { 'content-type': 'application/json' },
 *     body: JSON.stringify({ declaration }),
 *   })
 *   return agentDrift.parse(await answer.json())
 * }
 * ```
 */
export const agentDrift = z.strictObject({
  flows: z.int().nonnegative().describe('Flows that order from the agent; counted up to 10,000'),
  changed: z
    .array(
      z.strictObject({
        capability: z.string(),
        change: z.enum(['changed', 'dearer', 'gone']).describe('changed: its schemas, at no higher price'),
        flows: z.int().nonnegative().describe('Flows that order it; counted up to 10,000'),
      }),
    )
    .describe('Capabilities that flows order and that would change'),
  examined: z
    .int()
    .nonnegative()
    .describe(
      'The number of checked flows among those that order one of these: all, or a sample of limited size',
    ),
  affected: z.int().nonnegative().describe('The number of those that could no longer be run'),
  broken: z
    .array(
      z.strictObject({
        capability: z.string(),
        flows: z.int().positive().describe('Of the checked flows'),
        reason: z.string().describe('The reason why they could not be run, in one sentence'),
      }),
    )
    .describe('The most frequent problem'),
})

/** The type that {@link agentDrift} parses to. */
export type AgentDrift = z.infer<typeof agentDrift>
