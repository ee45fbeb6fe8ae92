import { STAKE_WEI } from '@farebox/contracts/internal/calls/registry-calls'
import { settlementLimit, type SettlementLimit } from '@farebox/platform-api/owners'
import type { OwnerSummary } from '@farebox/payments/x402/facilitator-api'
import { nowSeconds } from '@farebox/server/clock'
import { defineRoute, type Route } from '../../http/route.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import type { SettlementRule } from '../../settlement-rule.ts'
import { createFacilitatorAdmin } from './facilitator-admin.ts'
import { formatEther, readShares } from './read-shares.ts'

const DAY_SECONDS = 86_400
/** From this part on the facilitator announces it, too. */
const NEAR = 0.8

/** How many settlements the facilitator makes for who is signed in, in a UTC day, how many are used, and why so many (D41). */
export function settlementLimitRoute({ settings, database, clock }: PlatformParts): Route {
  const admin = createFacilitatorAdmin(settings.facilitator)
  const { settlements: rule } = settings
  return defineRoute({
    method: 'GET',
    path: '/v1/me/settlement-limit',
    summary:
      'How many payments of your agents are settled in a UTC day, how many are used, and what raises it',
    access: 'owner',
    answers: { 200: { description: 'Of all your secrets together', schema: settlementLimit } },
    handle: async ({ caller }) => {
      const summary = await admin.readOwner(caller.address)
      const isFollowed = rule !== undefined && summary.sponsorship === 'listed'
      const state = stateOf(summary)
      const now = Math.floor(nowSeconds(clock))
      const body: SettlementLimit = {
        sponsorship: summary.sponsorship,
        used_today: summary.settlementsToday,
        daily_limit: summary.dailySettlements,
        state,
        expected_at: state === 'used_up' ? null : summary.exhaustedAt,
        resets_at: now - (now % DAY_SECONDS) + DAY_SECONDS,
        made_of: isFollowed ? [...(await readShares(database, caller.address, rule))] : [],
        rule: rule === undefined ? null : describeRule(rule),
        next_step: nextStep(summary, state, rule),
      }
      return { body }
    },
  })
}

function stateOf({
  settlementsToday: used,
  dailySettlements: limit,
}: OwnerSummary): SettlementLimit['state'] {
  if (limit === null || used < NEAR * limit) return 'open'
  return used < limit ? 'near' : 'used_up'
}

function nextStep(
  { sponsorship, dailySettlements }: OwnerSummary,
  state: SettlementLimit['state'],
  rule: SettlementRule | undefined,
): string | null {
  if (sponsorship === 'unlisted') return 'register an agent to lift it: farebox register'
  const isBelow = dailySettlements !== null && rule !== undefined && dailySettlements < rule.atMost
  return sponsorship === 'listed' && state !== 'open' && isBelow
    ? 'a higher badge or another listed agent raises it'
    : null
}

function describeRule({ perStake, atLeast, atMost }: SettlementRule): SettlementLimit['rule'] {
  return {
    per_stake: { ...perStake },
    stake: formatEther(STAKE_WEI),
    at_least: atLeast,
    at_most: atMost,
  }
}
