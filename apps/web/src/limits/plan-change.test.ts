import { SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import { encodeSet } from '@farebox/contracts/permission-transactions'
import type { SpendPermissionView, WalletLimits } from '@farebox/platform-api/limits/wallet-limits'
import { describe, expect, test } from 'vitest'
import { findCover, readBack } from './find-cover.ts'
import { countPrompts, planExact, planRevoke, planSet, planZero } from './plan-change.ts'

const OWNER = `0x${'11'.repeat(20)}` as const
const SPENDER = `0x${'22'.repeat(20)}` as const
const TOKEN = `0x${'33'.repeat(20)}` as const
const UNLIMITED = (2n ** 256n - 1n).toString()
const TERMS = { limit: 1_000_000n, cap: 10_000_000n, expiry: 2_000_000_000n }
const BUY = { agentId: 7, capability: 'buy', spender: SPENDER }

function permissionOf(changes: Partial<SpendPermissionView> = {}): SpendPermissionView {
  return {
    id: `0x${'44'.repeat(32)}`,
    spender: SPENDER,
    token: TOKEN,
    scope: `0x${'55'.repeat(32)}`,
    agent_id: '7',
    agent_name: 'Shopper',
    capability: 'buy',
    limit: '1000000',
    cap: '10000000',
    spent: '4000000',
    left: '6000000',
    expires_at: 2_000_000_000,
    recipients: [],
    state: 'active',
    nonce: 1,
    set_at: 1,
    set_transaction: `0x${'66'.repeat(32)}`,
    revoked_at: null,
    ...changes,
  }
}

function limitsOf(changes: Partial<WalletLimits> = {}): WalletLimits {
  const permissions = changes.permissions ?? []
  return {
    address: OWNER,
    contract: SPEND_PERMISSIONS_ADDRESS.toLowerCase(),
    token: { symbol: 'USDC', address: TOKEN, decimals: 6 },
    block_number: 9,
    block_time: 1_000,
    balance: '100000000',
    allowance: '0',
    total_left: '0',
    permit: { name: 'USDC', version: '2', nonce: '0' },
    permissions,
    ...changes,
  }
}

describe('PERM-04 the approval behind a change', () => {
  test('of a new permission equals the total left including it, and is signed in the same transaction', () => {
    const others = limitsOf({
      permissions: [permissionOf({ capability: 'tip' })],
      allowance: '6000000',
      total_left: '6000000',
    })
    const planned = planSet(others, BUY, TERMS)
    expect(planned).toMatchObject({ way: 'permit', approval: 16_000_000n, approvalNow: 6_000_000n })
    expect(countPrompts(planned)).toBe(2)
  })

  test('of a changed permission counts it once, and the spent amount stays spent', () => {
    const limits = limitsOf({ permissions: [permissionOf()], allowance: '6000000', total_left: '6000000' })
    expect(planSet(limits, BUY, { ...TERMS, cap: 5_000_000n })).toMatchObject({ approval: 1_000_000n })
    expect(planSet(limits, BUY, { ...TERMS, cap: 3_000_000n })).toMatchObject({ approval: 0n })
    expect(planSet(limits, BUY, TERMS)).toMatchObject({ way: 'none', approval: 6_000_000n })
  })

  test('of a permission that is expired or revoked does not count what that permission had left', () => {
    const expired = permissionOf({ state: 'expired' })
    const limits = limitsOf({ permissions: [expired] })
    expect(planSet(limits, BUY, TERMS)).toMatchObject({ approval: 6_000_000n })
    expect(planRevoke(limits, expired)).toMatchObject({ way: 'none', approval: 0n })
  })

  test('is sent before a growing change and after a shrinking one if the token accepts no signed approval', () => {
    const limits = limitsOf({
      permissions: [permissionOf()],
      allowance: '6000000',
      total_left: '6000000',
      permit: null,
    })
    expect(planSet(limits, BUY, { ...TERMS, cap: 20_000_000n }).way).toBe('approve first')
    expect(planSet(limits, BUY, { ...TERMS, cap: 5_000_000n }).way).toBe('approve last')
    expect(planRevoke(limits, permissionOf())).toMatchObject({ way: 'approve last', approval: 0n })
  })

  test('becomes exact if it was unlimited, whatever is changed', () => {
    const limits = limitsOf({ permissions: [permissionOf()], allowance: UNLIMITED, total_left: '6000000' })
    expect(planRevoke(limits, permissionOf())).toMatchObject({ way: 'permit', approval: 0n })
    const exact = planExact(limits)
    expect(exact.approve.to).toBe(TOKEN)
    expect(BigInt(`0x${exact.approve.data.slice(-64)}`)).toBe(6_000_000n)
    expect(countPrompts(exact)).toBe(1)
  })

  test('of another spender becomes zero, and its transaction names the spender', () => {
    const { approve, change } = planZero(limitsOf(), SPENDER)
    expect(change).toBeUndefined()
    expect(approve.data).toBe(`0x095ea7b3${SPENDER.slice(2).padStart(64, '0')}${'0'.repeat(64)}`)
  })

  test('needs no further transaction when the allowance is already in place', () => {
    const half = planSet(limitsOf({ allowance: '10000000', permit: null }), BUY, TERMS)
    expect(half.way).toBe('none')
    expect(countPrompts(half)).toBe(1)
  })
})

test('a changed permission names the agent, the account and the previous recipients', () => {
  const before = permissionOf({ recipients: [OWNER] })
  const { change } = planSet(limitsOf({ permissions: [before] }), BUY, TERMS)
  const [owner, spender, token] = [OWNER, SPENDER, TOKEN] as const
  const named = { owner, spender, token, agentId: 7n, capability: 'buy', recipients: [OWNER] }
  expect(change?.data).toBe(encodeSet({ ...TERMS, ...named } as const))
  expect(change?.to).toBe(SPEND_PERMISSIONS_ADDRESS.toLowerCase())
})

describe('whether a permission covers a capability', () => {
  const limits = limitsOf({ permissions: [permissionOf()], allowance: '6000000', total_left: '6000000' })

  test('a live permission of the account that the agent names covers it', () => {
    expect(findCover(limits, 7, 'buy', SPENDER)).toMatchObject({ kind: 'covered', isShort: undefined })
    expect(findCover(limits, 7, 'buy')).toMatchObject({ kind: 'covered' })
  })

  test('a permission of another account, agent, capability or token does not cover it', () => {
    expect(findCover(limits, 7, 'buy', OWNER).kind).toBe('none')
    expect(findCover(limits, 8, 'buy').kind).toBe('none')
    expect(findCover(limits, 7, 'tip').kind).toBe('none')
    const other = limitsOf({ permissions: [permissionOf({ token: OWNER })] })
    expect(findCover(other, 7, 'buy').kind).toBe('none')
  })

  test.each(['used-up', 'expired', 'revoked'] as const)('a %s permission does not cover it', state => {
    expect(findCover(limitsOf({ permissions: [permissionOf({ state })] }), 7, 'buy').kind).toBe('over')
  })

  test('the shortage of the approval or the balance is named', () => {
    const [permission] = [permissionOf()]
    expect(findCover({ ...limits, allowance: '999999' }, 7, 'buy')).toEqual({
      kind: 'covered',
      permission,
      isShort: 'approval',
    })
    expect(findCover({ ...limits, balance: '999999' }, 7, 'buy')).toMatchObject({ isShort: 'wallet' })
  })
})

test.each([
  ['/agents/3?capability=buy', '/agents/3?capability=buy'],
  ['//evil.example', undefined],
  ['/\\evil.example', undefined],
  ['https://evil.example', undefined],
  ['javascript:alert(1)', undefined],
  [null, undefined],
])('accepts only a path of this site as the way back: %s', (text, back) => {
  expect(readBack(text)).toBe(back)
})
