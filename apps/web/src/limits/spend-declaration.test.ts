import { describe, expect, test } from 'vitest'
import { readSpendDeclaration } from './spend-declaration.ts'

const PERMISSION = {
  type: 'EXECUTE_TRANSACTIONS',
  reason: 'Pays the shop.',
  token: 'USDC',
  max_per_transaction: '5.00',
}

describe('the declared spending of a capability', () => {
  test('has its reason, and its maximum in atomic units', () => {
    expect(readSpendDeclaration([PERMISSION])).toEqual({
      reason: 'Pays the shop.',
      most: '5.00',
      mostAtomic: 5_000_000n,
    })
  })

  test.each([
    ['nothing', []],
    ['another kind of permission', [{ ...PERMISSION, type: 'READ' }]],
    ['a token that is only called like one that we know', [{ ...PERMISSION, token: 'usdc' }]],
    ['an address for a token', [{ ...PERMISSION, token: `0x${'11'.repeat(20)}` }]],
  ])('PERM-05 PERM-06 is undefined for a declaration of %s', (_, permissions) => {
    expect(readSpendDeclaration(permissions)).toBeUndefined()
  })

  test.each(['0', '-1', '1.0000001', 5, null, undefined, '9'.repeat(60)])(
    'has no atomic amount if USDC cannot have it: %s',
    most => {
      expect(readSpendDeclaration([{ ...PERMISSION, max_per_transaction: most }])?.mostAtomic).toBeUndefined()
    },
  )

  test('has its reason cut to the length that a page shows', () => {
    expect(readSpendDeclaration([{ ...PERMISSION, reason: 'x'.repeat(9_999) }])?.reason).toHaveLength(500)
    expect(readSpendDeclaration([{ ...PERMISSION, reason: { toString: 1 } }])?.reason).toBe('')
  })
})
