import { expect, test } from 'vitest'
import { BADGES, earnBadge, explainBadge, shownBadge, wilsonLowerBound, type BadgeInputs } from './badge.ts'

const PERFECT: BadgeInputs = {
  aboutPasses: true,
  healthPasses: true,
  paidJobs: 2_000,
  failedJobs: 0,
  payers: 300,
  uptime7Days: 1,
  uptime30Days: 1,
}

function earned(changes: Partial<BadgeInputs>): string {
  return earnBadge(explainBadge({ ...PERFECT, ...changes }))
}

test('D34 each badge is earned at its threshold and not below', () => {
  expect(earned({})).toBe('gold')
  expect(earned({ aboutPasses: false })).toBe('none')
  expect(earned({ healthPasses: false })).toBe('none')
  expect(earned({ uptime7Days: undefined })).toBe('verified')
  expect(earned({ uptime7Days: 0.899_9 })).toBe('verified')
  expect(earned({ uptime7Days: 0.9 })).toBe('bronze')
  expect(earned({ uptime7Days: 0.969_9 })).toBe('bronze')
  expect(earned({ uptime7Days: 0.97 })).toBe('gold')
  expect(earned({ paidJobs: 99 })).toBe('bronze')
  expect(earned({ paidJobs: 100 })).toBe('silver')
  expect(earned({ paidJobs: 999 })).toBe('silver')
  expect(earned({ paidJobs: 1_000 })).toBe('gold')
  expect(earned({ uptime30Days: 0.994_9 })).toBe('silver')
  expect(earned({ uptime30Days: 0.995 })).toBe('gold')
  expect(earned({ uptime30Days: undefined })).toBe('silver')
})

test('D34 success counts by the lower bound, so a few successful jobs prove little', () => {
  expect(earned({ paidJobs: 100, failedJobs: 1 })).toBe('bronze')
  expect(earned({ paidJobs: 200, failedJobs: 3 })).toBe('silver')
  expect(earned({ paidJobs: 1_000, failedJobs: 3 })).toBe('gold')
  expect(earned({ paidJobs: 1_000, failedJobs: 10 })).toBe('silver')
  expect(earned({ paidJobs: 1_000, failedJobs: 100 })).toBe('bronze')
})

test('D34 the bound equals published reference values', () => {
  expect(wilsonLowerBound(0, 0)).toBe(0)
  expect(wilsonLowerBound(0, 10)).toBeCloseTo(0, 12)
  expect(wilsonLowerBound(10, 10)).toBeCloseTo(0.722_467_2, 6)
  expect(wilsonLowerBound(8, 10)).toBeCloseTo(0.490_162_5, 6)
  expect(wilsonLowerBound(95, 100)).toBeCloseTo(0.888_249_6, 6)
  // At the bound, the observed share lies exactly at the 97.5 % quantile.
  for (const [successes, trials] of [
    [1, 3],
    [50, 60],
    [999, 1_000],
  ] as const) {
    const bound = wilsonLowerBound(successes, trials)
    const distance = (successes / trials - bound) / Math.sqrt((bound * (1 - bound)) / trials)
    expect(distance).toBeCloseTo(1.959_964, 5)
  }
})

test('D34 the computation is visible: each rule with its value and the required value', () => {
  const rules = explainBadge({ ...PERFECT, paidJobs: 120, uptime30Days: undefined })
  expect(rules).toHaveLength(9)
  expect(rules).toContainEqual({ badge: 'gold', rule: 'paid-jobs', value: 120, needed: 1_000, passes: false })
  expect(rules).toContainEqual({
    badge: 'gold',
    rule: 'uptime-30-days',
    value: undefined,
    needed: 0.995,
    passes: false,
  })
})

test('D34 a warning shows the badge one step lower', () => {
  expect(BADGES.map(badge => shownBadge(badge, true))).toEqual([
    'none',
    'none',
    'verified',
    'bronze',
    'silver',
  ])
  expect(BADGES.map(badge => shownBadge(badge, false))).toEqual(BADGES)
})
