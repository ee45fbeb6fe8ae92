import type { Flow } from '@farebox/flows/document/flow'
import { withoutSecrets } from '@farebox/flows/document/without-secrets'
import { failure } from '@farebox/platform-api/errors'
import { flowPath, flowShared, sharedFlow, sharedPath } from '@farebox/platform-api/flows/saved-flows'
import { z } from 'zod'
import { Refusal } from '../../http/refusal.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import { refuseBusy } from '../refuse-busy.ts'
import { noFlow, readOwnFlow } from '../saved/read-own-flow.ts'
import { flowOpenapi } from './flow-openapi.ts'
import { readShared, shareFlow, unshareFlow } from './shared-flows.ts'

const MISSING = { description: 'You have no such flow', schema: failure }

/**
 * The routes that make a flow available outside its account: a copy for callers with the link, and an OpenAPI description
 * for programs.
 */
export function shareRoutes(parts: PlatformParts): readonly Route[] {
  return [...linkRoutes(parts), sharedRoute(parts), openapiRoute(parts)]
}

function linkRoutes({ database }: PlatformParts): readonly Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/v1/flows/:flowId/share',
      summary:
        'Makes a link that opens a copy of one of your flows; returns the same link while it is shared',
      access: 'owner',
      params: flowPath,
      belongsTo: 'account',
      answers: { 200: { description: 'What the link opens', schema: flowShared }, 404: MISSING },
      async handle({ params, caller }) {
        const share_id = await shareFlow(database, { flowId: params.flowId, owner: caller.address })
        if (share_id === undefined) throw noFlow()
        return { body: { share_id } }
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/v1/flows/:flowId/share',
      summary: 'Deletes the link to one of your flows; a link made later has another address',
      access: 'owner',
      params: flowPath,
      belongsTo: 'account',
      answers: { 204: { description: 'The link no longer works' }, 404: MISSING },
      async handle({ params, caller }) {
        if (await unshareFlow(database, { flowId: params.flowId, owner: caller.address }))
          return { status: 204 }
        throw noFlow()
      },
    }),
  ]
}

function sharedRoute({ database }: PlatformParts): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/shared/:shareId',
    summary: 'A shared flow, without the constants that its owner marked secret',
    access: 'public',
    params: sharedPath,
    answers: {
      200: { description: 'The flow as it is now', schema: sharedFlow },
      404: { description: 'Nothing is shared under this id', schema: failure },
    },
    async handle({ params }) {
      const shared = await readShared(database, params.shareId)
      if (shared === undefined) throw new Refusal('not_found', 'shareId: nothing is shared under it')
      return { body: shared }
    },
  })
}

function openapiRoute({ database, checker, settings }: PlatformParts): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/flows/:flowId/openapi.json',
    summary: 'One of your flows as an OpenAPI operation, with its own input and output',
    access: 'owner',
    params: flowPath,
    belongsTo: 'account',
    answers: {
      200: { description: 'An OpenAPI 3.1 document', schema: z.record(z.string(), z.unknown()) },
      404: MISSING,
      409: { description: 'It is no longer a valid flow; `error` says why', schema: failure },
      503: { description: 'Too many checks are running', schema: failure },
    },
    async handle({ params, caller }) {
      const saved = await readOwnFlow(database, { flowId: params.flowId, owner: caller.address })
      // Safe: the document was validated when it was stored. Secrets are removed because the derived type of a secret value
      // would reveal it.
      const flow = withoutSecrets(saved.flow as unknown as Flow)
      const given = { flow, capabilities: [] }
      const result = await checker.run('flow', given, `flows of ${caller.address}`).catch(refuseBusy)
      // The document was valid under an earlier version of the rules.
      if (!result.ok) throw new Refusal('conflict', `flow: ${result.reason}`)
      return { body: flowOpenapi(saved, result.checked, settings.publicUrl) }
    },
  })
}
