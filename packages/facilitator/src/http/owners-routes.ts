import type { OwnerSummary } from '@farebox/payments/x402/facilitator-api'
import { nowSeconds, type Clock } from '@farebox/server/clock'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { OwnerLedger, OwnerLimits, Sponsorship } from '../ledger/owner-ledger.ts'
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

/**
 * `PUT /owners` with a list of owners and why their gas is paid, `GET /owners/:owner`, and `DELETE /owners/:owner/name`,
 * for whoever shows the service token (D41). One that the operator has named stays named until that name is deleted.
 */
export function addOwnersRoutes(app: FastifyInstance, admin: OwnersAdmin): void {
  const { owners, limits, clock } = admin
  const onRequest = requireToken(admin.adminToken)

  app.put(
    '/owners',
    { onRequest },
    guarded(async (request, reply) => {
      const { owners: names, sponsorship } = asObject(parseBody(request.body)) ?? {}
      if (!isSponsorship(sponsorship)) return await answerError(reply, 400, SPONSORSHIP_RULE)
      if (!Array.isArray(names) || names.length > MOST_OWNERS || !names.every(isName))
        return await answerError(reply, 400, `owners must be a list of at most ${MOST_OWNERS} names`)
      for (const owner of names) await owners.sponsor(owner, sponsorship)
      return await reply.code(204).send()
    }),
  )

  app.get(
    '/owners/:owner',
    { onRequest },
    guarded(async (request, reply) => {
      const owner = readOwner(request)
      const { sponsorship, settlements, unsent } = await owners.use(owner, nowSeconds(clock))
      const summary: OwnerSummary = {
        owner,
        sponsorship,
        settlementsToday: settlements + unsent,
        dailySettlements: limits.dailySettlements[sponsorship],
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

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_OWNER_CHARACTERS
}

function readOwner(request: FastifyRequest): string {
  const owner = asObject(request.params)?.['owner']
  return typeof owner === 'string' ? owner : ''
}
