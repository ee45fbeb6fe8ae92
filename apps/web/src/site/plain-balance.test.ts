import { walletBalance } from '@farebox/platform-api/wallets'
import { expect, test } from 'vitest'
import { plainBalance } from './plain-balance.ts'

const BALANCE = {
  address: `0x${'11'.repeat(20)}`,
  usdc: '12.5',
  usdc_atomic: '12500000',
  native_wei: '0',
  block_number: 7,
}

test('a balance that the platform’s schema accepts is accepted', () => {
  expect(plainBalance.safeParse(BALANCE)).toEqual({ success: true, data: walletBalance.parse(BALANCE) })
  expect(Object.keys(walletBalance.shape)).toEqual(Object.keys(BALANCE))
})

test.each([undefined, null, '', 'x', '-1', '1.5', -1, 1.5, 2 ** 53, {}, []])(
  '%j is refused in the same fields as by the schema',
  wrong => {
    for (const field of Object.keys(BALANCE)) {
      const changed = { ...BALANCE, [field]: wrong }
      const read = plainBalance.safeParse(changed)
      expect([field, read.success]).toEqual([field, walletBalance.safeParse(changed).success])
      if (!read.success) expect(read.error.issues.map(({ path }) => path)).toEqual([[field]])
    }
    expect(plainBalance.safeParse(wrong).success).toBe(false)
  },
)
