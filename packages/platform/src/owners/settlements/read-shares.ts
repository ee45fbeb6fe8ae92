import type { SettlementShare } from '@farebox/platform-api/owners'
import type { Database } from '@farebox/server/internal/postgres/connect'
import type { Badge } from '../../agents/agent-row.ts'
import { settlementsOfStake, type SettlementRule } from '../../settlement-rule.ts'
import { COUNTS } from './owner-standing.ts'

const MOST_AGENTS = 100

/** What each listed agent of an owner adds to the settlements of a day, by their numbers. */
export async function readShares(
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

/** Wei as ETH, without zeros at the end. */
export function formatEther(wei: bigint): string {
  const digits = wei.toString().padStart(ETHER_DECIMALS + 1, '0')
  const fraction = digits.slice(-ETHER_DECIMALS).replace(/0+$/, '')
  return fraction === ''
    ? digits.slice(0, -ETHER_DECIMALS)
    : `${digits.slice(0, -ETHER_DECIMALS)}.${fraction}`
}
