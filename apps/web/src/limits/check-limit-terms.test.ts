import { describe, expect, test } from 'vitest'
import {
  checkLimitTerms,
  dayOf,
  endOfDay,
  proposeTerms,
  typeTerms,
  type TypedTerms,
} from './check-limit-terms.ts'

const NOW = Date.UTC(2026, 10, 25, 12) / 1_000
const BOUNDS = { declaredMost: 25_000_000n, spent: 0n, now: NOW }
const GOOD: TypedTerms = { each: '5.00', all: '50', until: '2026-12-31' }

function refusalsOf(typed: Partial<TypedTerms>, bounds: Partial<typeof BOUNDS> = {}) {
  const checked = checkLimitTerms({ ...GOOD, ...typed }, { ...BOUNDS, ...bounds })
  return checked.ok ? undefined : checked.refusals
}

describe('the terms of a permission', () => {
  test('are parsed from strings exactly, and are valid until the last second of their day', () => {
    const checked = checkLimitTerms({ ...GOOD, each: ' 5.000001 ' }, BOUNDS)
    const end = new Date(2026, 11, 31, 23, 59, 59).getTime() / 1_000
    expect(checked).toEqual({ ok: true, terms: { limit: 5_000_001n, cap: 50_000_000n, expiry: BigInt(end) } })
  })

  test.each([
    ['each', '25', 'must be lower than 25.00, the agent’s declared maximum'],
    ['each', '25.000001', 'must be lower than 25.00, the agent’s declared maximum'],
    ['each', '0', 'must be more than zero'],
    ['each', '0.00', 'must be more than zero'],
    ['each', '-1', 'must be a decimal like "0.01", got "-1"'],
    ['each', '1e3', 'must be a decimal like "0.01", got "1e3"'],
    ['each', '1,00', 'must be a decimal like "0.01", got "1,00"'],
    ['each', '', 'must be a decimal like "0.01", got ""'],
    ['each', '0.0000001', 'must have at most 6 decimals, USDC has no more, got "0.0000001"'],
    ['all', '4.999999', 'must be at least 5.00, the amount you allow each time'],
    ['all', '400000000000000000000', 'is more than the contract can store'],
    ['all', '0', 'must be more than zero'],
    ['until', '', 'must be a date, such as 2026-12-31'],
    ['until', '2026-02-30', 'must be a date, such as 2026-12-31'],
    ['until', '2026-11-24', 'must be in the future'],
    ['until', '2036-12-31', 'must be within ten years'],
  ] as const)('PERM-01 %s of %j are refused at their field', (field, text, reason) => {
    expect(refusalsOf({ [field]: text })).toEqual({ [field]: reason })
  })

  test('a refused amount per transfer does not make the total refused too', () => {
    expect(Object.keys(refusalsOf({ each: '60', all: '50' }) ?? {})).toEqual(['each'])
  })

  test('an amount just below the declared maximum is accepted', () => {
    expect(refusalsOf({ each: '24.999999' })).toBeUndefined()
    expect(refusalsOf({ all: '5.00' })).toBeUndefined()
  })

  test('a total that is already spent is refused, because it counts from the first setting', () => {
    const refusal = /^must be more than 50\.00, the amount already spent/
    expect(refusalsOf({}, { spent: 50_000_000n })?.all).toMatch(refusal)
    expect(refusalsOf({}, { spent: 49_999_999n })).toBeUndefined()
  })

  test('each wrong field has its own reason', () => {
    expect(Object.keys(refusalsOf({ each: 'x', all: 'y', until: 'z' }) ?? {})).toEqual([
      'each',
      'all',
      'until',
    ])
  })
})

describe('the initial terms in the fields', () => {
  test.each([
    ['25', 25_000_000n, '5.00', '50.00'],
    ['2', 2_000_000n, '0.40', '4.00'],
    ['0.04', 40_000n, '0.008', '0.08'],
    ['the smallest that leaves anything', 2n, '0.000001', '0.00001'],
  ])('of a capability that declares %s are lower and can be sent', (_, declaredMost, each, all) => {
    const proposed = proposeTerms(declaredMost, NOW)
    expect(proposed).toEqual({ each, all, until: dayOf(NOW + 30 * 86_400) })
    expect(checkLimitTerms(proposed, { declaredMost, spent: 0n, now: NOW }).ok).toBe(true)
  })

  test('of an existing permission are its own terms', () => {
    const expiry = BigInt(endOfDay('2027-02-14') ?? 0)
    expect(typeTerms({ limit: 2_500_000n, cap: 1_204_500_000n, expiry })).toEqual({
      each: '2.50',
      all: '1204.50',
      until: '2027-02-14',
    })
  })
})
