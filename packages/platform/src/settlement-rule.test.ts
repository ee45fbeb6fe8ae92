import { expect, test } from 'vitest'
import { STAKE_WEI } from '@farebox/contracts/internal/calls/registry-calls'
import { DEFAULT_SETTLEMENT_RULE, grantedSettlements, type CountedStake } from './settlement-rule.ts'

const stake = (badge: CountedStake['badge'], units = 1n): CountedStake => ({
  badge,
  stakeWei: units * STAKE_WEI,
})
const granted = (...stakes: readonly CountedStake[]): number =>
  grantedSettlements(DEFAULT_SETTLEMENT_RULE, stakes)

test('D41 the badge decides the settlements of an owner with one agent', () => {
  const badges = ['none', 'verified', 'bronze', 'silver', 'gold'] as const
  expect(badges.map(badge => granted(stake(badge)))).toEqual([1_000, 2_000, 10_000, 100_000, 1_000_000])
})

test('D41 the settlements of several agents add up, and grow with the stake', () => {
  expect(granted(stake('verified'), stake('bronze'))).toBe(12_000)
  expect(granted(stake('bronze', 3n))).toBe(30_000)
  expect(granted({ badge: 'bronze', stakeWei: (3n * STAKE_WEI) / 2n })).toBe(15_000)
})

test('D41 an owner without a counted agent gets the minimum, and no owner gets more than the maximum', () => {
  expect(granted()).toBe(1_000)
  expect(granted({ badge: 'gold', stakeWei: 1n })).toBe(1_000)
  expect(granted(stake('gold'), stake('gold'))).toBe(1_000_000)
  expect(granted(stake('gold', 10n ** 30n))).toBe(1_000_000)
})
