import type { OwnersNearLimit, OwnerSummary, SponsoredOwner } from '@farebox/payments/x402/facilitator-api'
import { nowSeconds, type Clock } from '@farebox/protocol/time/clock'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { expectedExhaustion } from '../engine/daily-pace.ts'
import { dailyLimit, type OwnerLedger, type OwnerLimits, type Sponsorship } from '../ledger/owner-ledger.ts'
import { answerError, asObject, parseBody } from './answer.ts'
import { guarded, requireToken } from './require-token.ts'

/** What administering owners needs. */
export interface OwnersAdmin {
  readonly owners: OwnerLedger
  readonly limits: OwnerLimits
  readonly clock: Clock
  /** The platform's service token. */
  readonly adminToken: string
}

const KINDS: readonly string[] = ['named', 'listed', 'unlisted'] satisfies readonly Sponsorship[]
const MOST_OWNERS = 200
const MAX_OWNER_CHARACTERS = 200
const OWNER_RULE = `owner must be a name of 1 to ${MAX_OWNER_CHARACTERS} characters`

/** For a body that says something else. */
export const SPONSORSHIP_RULE = `sponsorship must be one of ${KINDS.join(', ')}`

/** Is it one of the reasons for which an owner's gas is paid? */
export function isSponsorship(value: unknown): value is Sponsorship {
  return typeof value === 'string' && KINDS.includes(value)
}

/** As many settlements a day as the ledger can count. */
const MOST_GRANTED = 2_147_483_647
/** For a body that grants something else. */
export const GRANT_RULE = `dailySettlements must be a whole number, 1 to ${MOST_GRANTED}`

/** Is it so many settlements a day as can be granted, or no word of it? */
export function isGrant(value: unknown): value is number | undefined {
  return (
    value === undefined ||
    (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MOST_GRANTED)
  )
}

/**
 * `PUT /owners` with a list of owners, why their gas is paid and how much is granted to each, `GET /owners?near=limit`,
 * `GET /owners/:owner`, and `DELETE /owners/:owner/name`, for whoever shows the service token (D41). One that the
 * operator has named stays named until that name is deleted.
 */
export function addOwnersRoutes(app: FastifyInstance, admin: OwnersAdmin): void {
  const { owners, limits, clock } = admin
  const onRequest = requireToken(admin.adminToken)

  app.put(
    '/owners',
    { onRequest },
    guarded(async (request, reply) => {
      const { owners: list, sponsorship } = asObject(parseBody(request.body)) ?? {}
      if (!isSponsorship(sponsorship)) return await answerError(reply, 400, SPONSORSHIP_RULE)
      const sponsored =
        Array.isArray(list) && list.length <= MOST_OWNERS ? list.map(readSponsored) : undefined
      if (sponsored?.every(one => one !== undefined) !== true) {
        const rule = `owners must be a list of at most ${MOST_OWNERS} names, or of {"owner", "dailySettlements"}; ${GRANT_RULE}`
        return await answerError(reply, 400, rule)
      }
      for (const { owner, dailySettlements: granted } of sponsored)
        await owners.sponsor(owner, { sponsorship, granted })
      return await reply.code(204).send()
    }),
  )

  app.get(
    '/owners',
    { onRequest },
    guarded(async (request, reply) => {
      if (asObject(request.query)?.['near'] !== 'limit')
        return await answerError(reply, 400, 'which owners must be given: ?near=limit')
      const now = nowSeconds(clock)
      const near = await owners.nearLimits(limits, now)
      const answer: OwnersNearLimit = {
        ...near,
        owners: near.owners.map(one => ({ ...one, exhaustedAt: expectedExhaustion(one, now) ?? null })),
      }
      return await reply.send(answer)
    }),
  )

  app.get(
    '/owners/:owner',
    { onRequest },
    guarded(async (request, reply) => {
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
    }),
  )

  app.delete(
    '/owners/:owner/name',
    { onRequest },
    guarded(async (request, reply) => {
      const owner = readOwner(request)
      if (!isName(owner)) return await answerError(reply, 400, OWNER_RULE)
      await owners.unname(owner)
      return await reply.code(204).send()
    }),
  )
}

function readSponsored(value: unknown): SponsoredOwner | undefined {
  if (isName(value)) return { owner: value }
  const { owner, dailySettlements } = asObject(value) ?? {}
  if (!isName(owner) || !isGrant(dailySettlements)) return undefined
  return dailySettlements === undefined ? { owner } : { owner, dailySettlements }
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_OWNER_CHARACTERS
}

function readOwner(request: FastifyRequest): string {
  const owner = asObject(request.params)?.['owner']
  return typeof owner === 'string' ? owner : ''
}
