import { settlementLimit } from '@farebox/platform-api/owners'
import { defineRoute, type Route } from '../http/route.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { createFacilitatorAdmin } from './facilitator-admin.ts'

/** How many settlements the facilitator makes for who is signed in, in a UTC day, and how many are used (D41). */
export function settlementLimitRoute({ settings }: PlatformParts): Route {
  const admin = createFacilitatorAdmin(settings.facilitator)
  return defineRoute({
    method: 'GET',
    path: '/v1/me/settlement-limit',
    summary: 'How many payments of your agents are settled in a UTC day, and how many are used',
    access: 'owner',
    answers: { 200: { description: 'Of all your secrets together', schema: settlementLimit } },
    handle: async ({ caller }) => {
      const { sponsorship, settlementsToday, dailySettlements } = await admin.readOwner(caller.address)
      const isLifted = sponsorship !== 'unlisted'
      return {
        body: {
          sponsorship,
          used_today: settlementsToday,
          daily_limit: dailySettlements,
          next_step: isLifted ? null : 'register an agent to lift it: farebox register',
        },
      }
    },
  })
}
