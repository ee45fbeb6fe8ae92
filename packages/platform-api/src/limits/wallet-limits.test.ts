import { expect, test } from 'vitest'
import { agentSpender, tokenApprovals, walletLimits, type WalletLimits } from './wallet-limits.ts'

const ADDRESS = `0x${'11'.repeat(20)}`
const WORD = `0x${'44'.repeat(32)}`
/** Two ABI words instead of one: an unrelated address, followed by an amount. */
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

/** The first path segment of each problem found. */
function wrongOf(schema: typeof agentSpender | typeof tokenApprovals | typeof walletLimits, answer: unknown) {
  const read = schema.safeParse(answer)
  return read.success ? [] : read.error.issues.map(({ path }) => path[0])
}

test('documented answers are accepted unchanged', () => {
  expect(walletLimits.parse(LIMITS)).toEqual(LIMITS)
  expect(walletLimits.parse({ ...LIMITS, permit: null, permissions: [] }).permissions).toEqual([])
  const approvals = { approvals: [APPROVAL], from_block: 0 }
  expect(tokenApprovals.parse(approvals)).toEqual(approvals)
  expect(agentSpender.parse({ agent_id: 7, spender: ADDRESS })).toEqual({ agent_id: 7, spender: ADDRESS })
})

test.each([TWO_WORDS, `${ADDRESS}00`, ADDRESS.slice(0, -1), '0x', '', null, undefined, 7, [ADDRESS]])(
  'PERM-05 %j is refused as a spender, recipient or owner',
  other => {
    expect(wrongOf(agentSpender, { agent_id: 7, spender: other })).toEqual(['spender'])
    const approvals = [{ ...APPROVAL, spender: other }]
    expect(wrongOf(tokenApprovals, { approvals, from_block: 0 })).toEqual(['approvals'])
    for (const changed of [{ spender: other }, { token: other }, { recipients: [other] }, { scope: other }]) {
      const permissions = [{ ...PERMISSION, ...changed }]
      expect(wrongOf(walletLimits, { ...LIMITS, permissions })).toEqual(['permissions'])
    }
    expect(wrongOf(walletLimits, { ...LIMITS, address: other })).toEqual(['address'])
  },
)

test.each(['-1', '1.5', '0x10', '1e9', ' 1', '', (2n ** 256n).toString(), '1'.repeat(1_000), 5, null])(
  'PERM-01 %j is not an amount',
  wrong => {
    for (const field of ['balance', 'allowance', 'total_left'])
      expect(new Set(wrongOf(walletLimits, { ...LIMITS, [field]: wrong }))).toEqual(new Set([field]))
    const permissions = [{ ...PERMISSION, spent: wrong }]
    expect(new Set(wrongOf(walletLimits, { ...LIMITS, permissions }))).toEqual(new Set(['permissions']))
  },
)

test.each([null, undefined, 'text', [], { permissions: 'many' }])('%j is refused as an answer', wrong => {
  expect(walletLimits.safeParse(wrong).success).toBe(false)
})
