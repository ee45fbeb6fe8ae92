import type { SettlementShare } from '@farebox/platform-api/owners'
import { expect, test } from 'vitest'
import { findRaises } from './find-raises.ts'

const RULE = {
  per_stake: { none: 1_000, verified: 2_000, bronze: 10_000, silver: 100_000, gold: 1_000_000 },
  stake: '0.001',
  at_least: 1_000,
  at_most: 1_000_000,
}

const share = (agent_id: number, changes: Partial<SettlementShare>): SettlementShare => ({
  agent_id,
  name: `agent ${agent_id}`,
  stake: '0.001',
  badge: 'none',
  settlements: 1_000,
  counts_nothing: null,
  ...changes,
})

test('lists the next badge of each agent, the largest gain first, and then another agent', () => {
  const [fresh, bronze] = [share(1, {}), share(2, { badge: 'bronze', settlements: 10_000 })]
  expect(findRaises([fresh, bronze], RULE)).toEqual([
    { kind: 'badge', share: bronze, badge: 'silver', more: 90_000 },
    { kind: 'badge', share: fresh, badge: 'verified', more: 1_000 },
    { kind: 'another', more: 1_000 },
  ])
})

test('lists an offline agent with the gain of its badge once it is back', () => {
  const away = share(1, { badge: 'silver', settlements: 0, counts_nothing: 'offline', stake: '0.003' })
  // While it is offline, the owner has the minimum of every listed owner, which another agent would not raise.
  expect(findRaises([away], RULE)).toEqual([{ kind: 'back', share: away, more: 299_000 }])
})

test('names at most three agents, and nothing if the limit is at its maximum', () => {
  expect(findRaises([share(9, { badge: 'gold', settlements: 1_000_000 })], RULE)).toEqual([])
  expect(
    findRaises(
      [1, 2, 3, 4].map(id => share(id, {})),
      RULE,
    ),
  ).toHaveLength(4)
})
