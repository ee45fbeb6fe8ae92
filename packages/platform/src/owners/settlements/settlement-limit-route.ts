import { STAKE_WEI } from '@farebox/contracts/internal/calls/registry-calls'
import type { OwnerSummary } from '@farebox/payments/x402/facilitator-api'
import { settlementLimit, type SettlementLimit, type SettlementShare } from '@farebox/platform-api/owners'
import { nowSeconds } from '@farebox/protocol/time/clock'
import type { Database } from '@farebox/server/internal/postgres/connect'
import type { Badge } from '../../agents/agent-row.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import { type SettlementRule, settlementsOfStake } from '../../settlement-rule.ts'
import { createFacilitatorAdmin } from './facilitator-admin.ts'
import { COUNTS } from './owner-standing.ts'

const DAY_SECONDS = 86_400
/** From this share of the limit on, the facilitator also lists the owner as near its limit. */
const NEAR = 0.8

/**
 * The route that shows how many settlements per UTC day the facilitator makes for the signed-in owner, how many are
 * used, and how the limit is computed (D41).
 */
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

const MOST_AGENTS = 100

/** Reads how much each listed agent of an owner adds to the daily settlements, ordered by agent number. */
async function readShares(
  database: Database,
  owner: string,
  rule: SettlementRule,
): Promise<readonly SettlementShare[]> {
  const rows = await database.query<ShareRow>(
    'read-settlement-shares',
    `select agent_id, name, stake_wei::text, badge, is_offline, (${COUNTS}) as counts from agents a
     where owner = $1 and standing = 'listed' order by agent_id limit ${MOST_AGENTS}`,
    [owner],
  )
  return rows.map(({ agent_id: agentId, name, stake_wei: wei, badge, is_offline: isOffline, counts }) => {
    const stakeWei = BigInt(wei)
    return {
      agent_id: Number(agentId),
      name,
      stake: formatEther(stakeWei),
      badge,
      settlements: counts ? settlementsOfStake(rule, { badge, stakeWei }) : 0,
      counts_nothing: counts ? null : isOffline ? 'offline' : 'not_payable',
    }
  })
}

interface ShareRow {
  readonly agent_id: string
  readonly name: string
  readonly stake_wei: string
  readonly badge: Badge
  readonly is_offline: boolean
  readonly counts: boolean
}

const ETHER_DECIMALS = 18

/** Wei as ETH without trailing zeros. */
function formatEther(wei: bigint): string {
  const digits = wei.toString().padStart(ETHER_DECIMALS + 1, '0')
  const fraction = digits.slice(-ETHER_DECIMALS).replace(/0+$/, '')
  return fraction === ''
    ? digits.slice(0, -ETHER_DECIMALS)
    : `${digits.slice(0, -ETHER_DECIMALS)}.${fraction}`
}
