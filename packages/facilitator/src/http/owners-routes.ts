import type { OwnersNearLimit, OwnerSummary, SponsoredOwner } from '@farebox/payments/x402/facilitator-api'
import { nowSeconds, type Clock } from '@farebox/protocol/time/clock'
import { objectOf } from '@farebox/protocol/internal/guards/json'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { expectedExhaustion } from '../engine/daily-pace.ts'
import { dailyLimit, type OwnerLedger, type OwnerLimits } from '../ledger/owner-ledger.ts'
import { sendError, readJsonBody } from './answer.ts'
import { guarded, requireToken } from './require-token.ts'
import {
  GRANT_RULE,
  isGrant,
  isOwnerName,
  isSponsorship,
  MAX_OWNER_CHARACTERS,
  SPONSORSHIP_RULE,
} from './sponsoring-rules.ts'

/** The dependencies of the routes of owners. */
export interface OwnersAdmin {
  readonly owners: OwnerLedger
  readonly limits: OwnerLimits
  readonly clock: Clock
  /** The platform's service token. */
  readonly adminToken: string
}

/**
 * `PUT /owners` with a list of owners, why their gas is paid and how many settlements each is granted; `GET
 * /owners?near=limit`; `GET /owners/:owner`; and `DELETE /owners/:owner/name`, for callers with the service token (D41). An
 * owner that the operator named stays named until that name is deleted.
 */
export function addOwnersRoutes(app: FastifyInstance, admin: OwnersAdmin): void {
  const options = { onRequest: requireToken(admin.adminToken) }
  const serve = (act: OwnersAction): ReturnType<typeof guarded> =>
    guarded((request, reply) => act(admin, request, reply))
  app.put('/owners', options, serve(sponsorOwners))
  app.get('/owners', options, serve(listNearLimit))
  app.get('/owners/:owner', options, serve(summarizeOwner))
  app.delete('/owners/:owner/name', options, serve(unnameOwner))
}

type OwnersAction = (admin: OwnersAdmin, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

const MOST_OWNERS = 200

async function sponsorOwners(
  { owners }: OwnersAdmin,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { owners: list, sponsorship } = objectOf(readJsonBody(request.body))
  if (!isSponsorship(sponsorship)) return await sendError(reply, 400, SPONSORSHIP_RULE)
  const sponsored = Array.isArray(list) && list.length <= MOST_OWNERS ? list.map(readSponsored) : undefined
  if (sponsored?.every(one => one !== undefined) !== true) {
    const rule = `owners must be a list of at most ${MOST_OWNERS} names, or of {"owner", "dailySettlements"}; ${GRANT_RULE}`
    return await sendError(reply, 400, rule)
  }
  for (const { owner, dailySettlements: granted } of sponsored)
    await owners.sponsor(owner, { sponsorship, granted })
  return await reply.code(204).send()
}

function readSponsored(value: unknown): SponsoredOwner | undefined {
  if (isOwnerName(value)) return { owner: value }
  const { owner, dailySettlements } = objectOf(value)
  if (!isOwnerName(owner) || !isGrant(dailySettlements)) return undefined
  return dailySettlements === undefined ? { owner } : { owner, dailySettlements }
}

async function listNearLimit(
  { owners, limits, clock }: OwnersAdmin,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  if (objectOf(request.query)['near'] !== 'limit')
    return await sendError(reply, 400, 'which owners must be given: ?near=limit')
  const now = nowSeconds(clock)
  const near = await owners.nearLimits(limits, now)
  const answer: OwnersNearLimit = {
    ...near,
    owners: near.owners.map(one => ({ ...one, exhaustedAt: expectedExhaustion(one, now) ?? null })),
  }
  return await reply.send(answer)
}

async function summarizeOwner(
  { owners, limits, clock }: OwnersAdmin,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const owner = readOwner(request)
  const now = nowSeconds(clock)
  const use = await owners.use(owner, now)
  const [used, limit] = [use.settlements + use.unsent, dailyLimit(limits, use)]
  const summary: OwnerSummary = {
    owner,
    sponsorship: use.sponsorship,
    settlementsToday: used,
    dailySettlements: limit ?? null,
    exhaustedAt: expectedExhaustion({ used, limit }, now) ?? null,
    grantedSettlements: use.granted ?? null,
  }
  return await reply.send(summary)
}

const OWNER_RULE = `owner must be a name of 1 to ${MAX_OWNER_CHARACTERS} characters`

async function unnameOwner(
  { owners }: OwnersAdmin,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const owner = readOwner(request)
  if (!isOwnerName(owner)) return await sendError(reply, 400, OWNER_RULE)
  await owners.unname(owner)
  return await reply.code(204).send()
}

function readOwner(request: FastifyRequest): string {
  const owner = objectOf(request.params)['owner']
  return typeof owner === 'string' ? owner : ''
}
