import { failure } from '@farebox/platform-api/errors'
import {
  flowConflict,
  flowCreate,
  flowPath,
  flowQuery,
  flowsAnswer,
  flowsQuery,
  flowUpdate,
  flowVersions,
  savedFlow,
} from '@farebox/platform-api/flows/saved-flows'
import type { Database } from '@farebox/server/internal/postgres/connect'
import type { KeptFlow } from '../../checking/flows/read-kept-flow.ts'
import { callerKey } from '../../http/caller-key.ts'
import { Refusal } from '../../http/refusal.ts'
import { defineRoute, type CallerOf, type Route } from '../../http/route.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import { MAX_FLOW_BYTES } from '../flow-limits.ts'
import { refuseBusy } from '../refuse-busy.ts'
import { listOwnFlows } from './list-own-flows.ts'
import { noFlow, readOwnFlow, readOwnVersions, type FlowOfOwner } from './read-own-flow.ts'
import { createFlow, updateFlow, type Saver } from './save-flow.ts'

const CREATES_PER_MINUTE = 30

const MISSING = { description: 'You have no such flow', schema: failure }
const NO_FLOW = { description: 'It is no flow, and why not', schema: failure }
const FULL = { description: 'Too much is kept for you already, or you ask too often', schema: failure }
const BUSY = { description: 'Too many checks are running; nothing was stored', schema: failure }

/** The routes for the flows stored for an address, independent of the browser or program. */
export function savedFlowRoutes(parts: PlatformParts): readonly Route[] {
  return [
    listRoute(parts),
    createRoute(parts),
    updateRoute(parts),
    deleteRoute(parts),
    readRoute(parts),
    versionsRoute(parts),
  ]
}

function listRoute(parts: PlatformParts): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/flows',
    summary: 'Your saved flows, and which of them can no longer be run',
    access: 'owner',
    query: flowsQuery,
    answers: {
      200: { description: 'The newest change first', schema: flowsAnswer },
      503: { description: 'Too many checks are running', schema: failure },
    },
    handle: async ({ query, caller }) => ({ body: await listOwnFlows(parts, caller.address, query) }),
  })
}

function createRoute(parts: PlatformParts): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/flows',
    summary: 'Saves a new flow, even if it cannot be run yet',
    access: 'owner',
    body: flowCreate,
    perMinute: CREATES_PER_MINUTE,
    maxBodyBytes: MAX_FLOW_BYTES,
    answers: {
      201: { description: 'The flow is saved', schema: savedFlow },
      400: NO_FLOW,
      409: { description: 'You have the maximum number of flows', schema: failure },
      429: FULL,
      503: BUSY,
    },
    async handle({ body, caller }) {
      const flow = await readGivenFlow(parts, body.flow, caller.address)
      return { status: 201, body: await createFlow(parts.database, flow, saverOf(parts, caller)) }
    },
  })
}

function updateRoute(parts: PlatformParts): Route {
  return defineRoute({
    method: 'PUT',
    path: '/v1/flows/:flowId',
    summary: 'Saves a changed flow, unless another version was saved meanwhile',
    access: 'owner',
    params: flowPath,
    belongsTo: 'account',
    body: flowUpdate,
    maxBodyBytes: MAX_FLOW_BYTES,
    answers: {
      200: { description: 'The flow is saved', schema: savedFlow },
      400: NO_FLOW,
      404: MISSING,
      409: {
        description: 'Another version was saved meanwhile, with its author and time',
        schema: flowConflict,
      },
      429: FULL,
      503: BUSY,
    },
    async handle({ params, body, caller }) {
      const flow = await readGivenFlow(parts, body.flow, caller.address)
      const saved = { flowId: params.flowId, revision: body.revision }
      return { body: await updateFlow(parts.database, saved, flow, saverOf(parts, caller)) }
    },
  })
}

/**
 * Reads a flow that is to be stored. A flow with findings is stored too.
 *
 * @throws {Refusal} `validation` with field and reason, `unavailable`
 */
async function readGivenFlow(
  { checker }: Pick<PlatformParts, 'checker'>,
  flow: unknown,
  address: string,
): Promise<KeptFlow> {
  const read = await checker.run('kept-flow', flow, `flows of ${address}`).catch(refuseBusy)
  if (!read.ok) throw new Refusal('validation', `flow: ${read.reason}`)
  return read.kept
}

function saverOf({ clock }: PlatformParts, { address, sessionId, ip }: CallerOf<'owner'>): Saver {
  return { address, sessionId, from: callerKey(ip), nowMs: clock.nowMs() }
}

function deleteRoute({ database }: PlatformParts): Route {
  return defineRoute({
    method: 'DELETE',
    path: '/v1/flows/:flowId',
    summary: 'Deletes one of your flows with all its versions, and its link',
    access: 'owner',
    params: flowPath,
    belongsTo: 'account',
    answers: { 204: { description: 'The flow is deleted' }, 404: MISSING },
    async handle({ params, caller }) {
      const own = { flowId: params.flowId, owner: caller.address }
      if (await deleteFlow(database, own)) return { status: 204 }
      throw noFlow()
    },
  })
}

/** Deletes a flow with its versions and its link; resolves to false when this owner has no such flow. */
async function deleteFlow(database: Database, { flowId, owner }: FlowOfOwner): Promise<boolean> {
  const rows = await database.query(
    'delete-own-flow',
    'delete from flows where flow_id = $1 and owner = $2 returning 1',
    [flowId, owner],
  )
  return rows.length > 0
}

function readRoute({ database }: PlatformParts): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/flows/:flowId',
    summary: 'One of your flows, or an earlier version of it',
    access: 'owner',
    params: flowPath,
    query: flowQuery,
    belongsTo: 'account',
    answers: { 200: { description: 'The flow', schema: savedFlow }, 404: MISSING },
    async handle({ params, query, caller }) {
      const own = { flowId: params.flowId, owner: caller.address }
      return { body: await readOwnFlow(database, own, query.version) }
    },
  })
}

function versionsRoute({ database }: PlatformParts): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/flows/:flowId/versions',
    summary: 'The versions of one of your flows; saves within ten minutes count as one version',
    access: 'owner',
    params: flowPath,
    belongsTo: 'account',
    answers: { 200: { description: 'The newest first', schema: flowVersions }, 404: MISSING },
    async handle({ params, caller }) {
      const own = { flowId: params.flowId, owner: caller.address }
      return { body: { versions: await readOwnVersions(database, own) } }
    },
  })
}
