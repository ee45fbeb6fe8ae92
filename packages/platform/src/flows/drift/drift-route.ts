import { failure } from '@farebox/platform-api/errors'
import { agentDrift, driftRequest } from '@farebox/platform-api/flows/drift'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { z } from 'zod'
import { readAgent } from '../../agents/read-agent.ts'
import { callerKey } from '../../http/caller-key.ts'
import { Refusal } from '../../http/refusal.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import { refuseBusy } from '../refuse-busy.ts'
import { countDrift } from './count-drift.ts'

const DRIFTS_PER_MINUTE = 10
/** Above the limit for `/about`, because the same declaration can be formatted differently. */
const MAX_DECLARATION_BYTES = 2 * 262_144

/** The route that counts the flows a change of an agent would break. */
export function driftRoute(parts: PlatformParts): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/agents/:agentId/drift',
    summary:
      'How many of the flows that are kept here another declaration of an agent would break; nothing is kept of it',
    access: 'public',
    params: z.strictObject({ agentId: z.coerce.number().int().positive().max(Number.MAX_SAFE_INTEGER) }),
    body: driftRequest,
    perMinute: DRIFTS_PER_MINUTE,
    maxBodyBytes: MAX_DECLARATION_BYTES,
    answers: {
      200: { description: 'Counts, without whose flows they are', schema: agentDrift },
      400: { description: 'It is not a declaration', schema: failure },
      404: { description: 'There is no such agent', schema: failure },
      503: { description: 'Too many checks are running', schema: failure },
    },
    async handle({ params, body, caller }) {
      const agent = await readAgent(parts.database, params.agentId)
      if (agent === undefined) throw new Refusal('not_found', `agentId: there is no agent ${params.agentId}`)
      const owner = `drift for ${callerKey(caller.ip)}`
      const declaration = await readDeclaration(parts, body.declaration, owner)
      return { body: await countDrift(parts, { agent, declaration }, owner) }
    },
  })
}

async function readDeclaration(
  { checker }: PlatformParts,
  given: object,
  owner: string,
): Promise<Declaration> {
  const checked = await checker.run('about', JSON.stringify(given), owner).catch(refuseBusy)
  if (!checked.ok) throw new Refusal('validation', `declaration: ${checked.reason}`)
  return checked.declaration
}
