import type { TokenApprovals, WalletLimits } from '@farebox/platform-api/limits/wallet-limits'
import { expect, test } from 'vitest'
import { checkApprovals, checkLimits, checkSpender } from './check-answers.ts'

const ADDRESS = `0x${'11'.repeat(20)}`
const WORD = `0x${'44'.repeat(32)}`
const INVALID = 'The platform sent an invalid response, so this page ignored it.'
/** A word for somebody else, and an amount behind it. */
const TWO_WORDS = `0x${'e7'.repeat(20).padStart(64, '0')}${'f'.repeat(64)}`

const PERMISSION = {
  id: WORD,
  spender: ADDRESS,
  token: ADDRESS,
  scope: WORD,
  agent_id: '7',
  agent_name: null,
  capability: 'buy',
  limit: '1',
  cap: '2',
  spent: '0',
  left: '2',
  expires_at: 2,
  recipients: [ADDRESS],
  state: 'active',
  nonce: 1,
  set_at: 1,
  set_transaction: WORD,
  revoked_at: null,
} as const
const LIMITS: WalletLimits = {
  address: ADDRESS,
  contract: ADDRESS,
  block_number: 1,
  block_time: 1,
  token: { symbol: 'USDC', address: ADDRESS, decimals: 6 },
  balance: '0',
  allowance: '0',
  total_left: '0',
  permit: { name: 'USDC', version: '2', nonce: '0' },
  permissions: [{ ...PERMISSION, recipients: [...PERMISSION.recipients] }],
}
const APPROVAL = {
  spender: ADDRESS,
  amount: '1',
  unlimited: false,
  is_permissions_contract: false,
  approved_at: null,
  transaction: WORD,
}

test('answers as they are documented are taken as they are', () => {
  expect(checkLimits(LIMITS)).toBe(LIMITS)
  expect(checkLimits({ ...LIMITS, permit: null, permissions: [] }).permissions).toEqual([])
  const approvals: TokenApprovals = { approvals: [APPROVAL], from_block: 0 }
  expect(checkApprovals(approvals)).toBe(approvals)
  expect(checkSpender({ agent_id: 7, spender: ADDRESS })).toEqual({ agent_id: 7, spender: ADDRESS })
})

test.each([TWO_WORDS, `${ADDRESS}00`, ADDRESS.slice(0, -1), '0x', '', null, undefined, 7, [ADDRESS]])(
  'PERM-05 %j is no spender, recipient or owner of anything',
  wrong => {
    const other = wrong as string
    expect(() => checkSpender({ agent_id: 7, spender: other })).toThrow(
      'The field “spender” is not in the documented format',
    )
    expect(() => checkApprovals({ approvals: [{ ...APPROVAL, spender: other }], from_block: 0 })).toThrow(
      INVALID,
    )
    for (const changed of [{ spender: other }, { token: other }, { recipients: [other] }, { scope: other }]) {
      const permissions = [{ ...LIMITS.permissions[0], ...changed }]
      expect(() => checkLimits({ ...LIMITS, permissions })).toThrow(
        'The field “permissions” is not in the documented format',
      )
    }
    expect(() => checkLimits({ ...LIMITS, address: other })).toThrow(
      'The field “address” is not in the documented format',
    )
  },
)

test.each(['-1', '1.5', '0x10', '1e9', ' 1', '', (2n ** 256n).toString(), '1'.repeat(1_000), 5, null])(
  'PERM-01 %j is no amount',
  wrong => {
    for (const field of ['balance', 'allowance', 'total_left'] as const)
      expect(() => checkLimits({ ...LIMITS, [field]: wrong })).toThrow(
        `The field “${field}” is not in the documented format`,
      )
    const permissions = [{ ...LIMITS.permissions[0], spent: wrong }]
    expect(() => checkLimits({ ...LIMITS, permissions })).toThrow(INVALID)
  },
)

test.each([null, undefined, 'text', [], { permissions: 'many' }])('%j is no answer at all', wrong => {
  expect(() => checkLimits(wrong as unknown as WalletLimits)).toThrow(INVALID)
})
