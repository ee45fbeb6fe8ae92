import { spendPermissionsAbi, spendPermissionsBytecode } from '@farebox/contracts/spend-permissions'
import { zeroAddress } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  encode,
  encodeRevoke,
  encodeSpendOf,
  FAR_EXPIRY,
  idOf,
  keyOf,
  OWNER,
  permissionOf,
  permissionStage,
  scopeOf,
  SHOP,
  SPENDER,
  STRANGER,
  tellPermissionEvents,
} from '../testing/permission-stage.ts'
import type { PermissionStage } from '../testing/permission-stage.ts'
import { deploy } from '../testing/registry-calls.ts'
import { callAnvilForText } from './anvil-rpc.ts'
import { fund } from './faucet.ts'
import { startChain } from './start-chain.ts'
import type { LocalChain } from './start-chain.ts'
import { TEST_KEYS } from './test-keys.ts'

const OTHER_OWNER = TEST_KEYS.secondPayer.address
const OTHER_SPENDER = TEST_KEYS.secondAgent.address
const MAX_CAP = 2n ** 88n - 1n
const MAX_EXPIRY = 2n ** 40n - 1n

let chain: LocalChain
let stage: PermissionStage
let untouched: string

beforeAll(async () => {
  chain = await startChain()
  stage = permissionStage(chain)
  for (const owner of [OWNER, OTHER_OWNER]) {
    await fund(chain, owner, { usdcAtomic: 100_000_000n })
    await stage.approve(owner, 50_000_000n)
  }
})
beforeEach(async () => {
  untouched = await stage.snapshot()
})
afterEach(async () => await stage.restore(untouched))
afterAll(async () => await chain.stop())

const refusedSet = async (changes: Parameters<typeof permissionOf>[0]) =>
  await stage.refusalOf(OWNER, encode('set', [permissionOf(changes)]))

describe('the contract SpendPermissions', () => {
  test('has no administrator: only these calls change it', () => {
    const calls = spendPermissionsAbi.filter(one => one.type === 'function')
    const changing = calls.filter(one => !['view', 'pure'].includes(one.stateMutability))
    expect(changing.map(one => one.name).toSorted()).toEqual([
      'multicall',
      'permitToken',
      'revoke',
      'revokeBySig',
      'set',
      'setBySig',
      'spend',
    ])
    const mutabilities: readonly string[] = calls.map(one => one.stateMutability)
    expect(mutabilities).not.toContain('payable')
  })

  test('has the code of a local chain when it is created by a transaction', async () => {
    const created = await deploy(chain, spendPermissionsBytecode)
    const code = await callAnvilForText(chain.rpcUrl, 'eth_getCode', [created, 'latest'])
    expect(code).toBe(await callAnvilForText(chain.rpcUrl, 'eth_getCode', [chain.spendPermissions, 'latest']))
  })
})

describe('set', () => {
  test('stores what the owner decided, and emits an event indexed by owner and spender', async () => {
    const permission = permissionOf({ recipients: [SHOP] })
    const receipt = await stage.set(permission)
    expect(tellPermissionEvents(receipt)).toEqual([
      {
        eventName: 'PermissionSet',
        owner: OWNER,
        spender: SPENDER,
        id: idOf(permission),
        permission,
        spent: 0n,
        nonce: 1n,
      },
    ])
    const { limit, cap, expiry } = permission
    expect(await stage.statusOf(permission)).toEqual({
      limit,
      cap,
      spent: 0n,
      expiry,
      nonce: 1n,
      isListed: true,
    })
    const indexed = spendPermissionsAbi
      .filter(one => one.type === 'event')
      .map(one => one.inputs.filter(input => input.indexed).map(input => input.name))
    expect(indexed).toEqual(Array.from({ length: 3 }, () => ['owner', 'spender', 'id']))
  })

  test('identifies scope and permission by hashes that a client can compute', async () => {
    const permission = permissionOf({ capability: 'kaufe Ähren' })
    const { owner, spender, token, scope } = keyOf(permission)
    expect(await stage.view('scopeOf', [7n, 'kaufe Ähren'])).toBe(scopeOf(permission))
    expect(await stage.view('idOf', [owner, spender, token, scope])).toBe(idOf(permission))
  })

  test('is permitted to the owner only', async () => {
    const callData = encode('set', [permissionOf()])
    for (const caller of [STRANGER, SPENDER])
      expect(await stage.refusalOf(caller, callData)).toEqual(['CallerNotOwner', caller, OWNER])
  })

  test('PERM-01 refuses a limit of zero, a limit above the cap, and a practically unlimited cap', async () => {
    expect(await refusedSet({ limit: 0n })).toEqual(['AmountZero'])
    expect(await refusedSet({ limit: 0n, cap: 0n })).toEqual(['AmountZero'])
    expect(await refusedSet({ limit: 2n, cap: 1n })).toEqual(['LimitAboveCap', 2n, 1n])
    for (const cap of [MAX_CAP + 1n, 2n ** 256n - 1n])
      expect(await refusedSet({ limit: cap, cap })).toEqual(['CapTooLarge', cap, MAX_CAP])
    await stage.set(permissionOf({ limit: MAX_CAP, cap: MAX_CAP }))
    expect(await stage.statusOf(permissionOf())).toMatchObject({ limit: MAX_CAP, cap: MAX_CAP })
  })

  test('refuses an expiry that has passed, and one in milliseconds', async () => {
    const now = (await stage.now()) + 100n
    await stage.jumpTo(now)
    // A simulated call runs in the next block, one second later or in the same second.
    expect(await refusedSet({ expiry: now })).toEqual(['ExpiryPassed', now, expect.any(BigInt)])
    expect(await refusedSet({ expiry: 1n })).toEqual(['ExpiryPassed', 1n, expect.any(BigInt)])
    const milliseconds = FAR_EXPIRY * 1_000n
    expect(await refusedSet({ expiry: milliseconds })).toEqual(['ExpiryTooLate', milliseconds, MAX_EXPIRY])
    await stage.set(permissionOf({ expiry: MAX_EXPIRY }))
  })

  test('PERM-05 refuses a token without a contract on this chain', async () => {
    expect(await refusedSet({ token: STRANGER })).toEqual(['TokenWithoutCode', STRANGER])
  })

  test('refuses a zero spender, and more than 16 recipients', async () => {
    expect(await refusedSet({ spender: zeroAddress })).toEqual(['SpenderMissing'])
    const recipients = Array.from({ length: 17 }, () => SHOP)
    expect(await refusedSet({ recipients })).toEqual(['TooManyRecipients', 17n, 16n])
    await stage.set(permissionOf({ recipients: recipients.slice(1) }))
  })

  test('changes an existing permission and keeps the spent amount', async () => {
    await stage.set(permissionOf({ limit: 400n, cap: 1_000n }))
    await stage.spend(permissionOf(), { amount: 400n })
    const receipt = await stage.set(permissionOf({ limit: 300n, cap: 600n }))
    expect(tellPermissionEvents(receipt)).toMatchObject([{ spent: 400n, nonce: 2n }])
    expect(await stage.statusOf(permissionOf())).toMatchObject({ limit: 300n, cap: 600n, spent: 400n })
    expect(await stage.available(permissionOf())).toBe(200n)
  })

  test('leaves nothing when the cap is below the spent amount, and never reports more than the cap as spent', async () => {
    await stage.set(permissionOf({ limit: 400n, cap: 1_000n }))
    await stage.spend(permissionOf(), { amount: 400n })
    await stage.set(permissionOf({ limit: 100n, cap: 100n }))
    expect(await stage.statusOf(permissionOf())).toMatchObject({ limit: 100n, cap: 400n, spent: 400n })
    expect(await stage.available(permissionOf())).toBe(0n)
    expect(await stage.refusalOf(SPENDER, encodeSpendOf(permissionOf(), { amount: 1n }))).toEqual([
      'AboveCap',
      1n,
      0n,
    ])
    await stage.set(permissionOf({ limit: 100n, cap: 450n }))
    expect(await stage.available(permissionOf())).toBe(50n)
  })

  test('PERM-03 counts a spend before the change towards the reduced cap', async () => {
    await stage.set(permissionOf({ limit: 1_000n, cap: 1_000n }))
    // The owner, who has seen no spend, allows 300 in total; the spend is in the previous block.
    await stage.spend(permissionOf(), { amount: 200n })
    await stage.set(permissionOf({ limit: 300n, cap: 300n }))
    expect(await stage.available(permissionOf())).toBe(100n)
  })
})

describe('spend', () => {
  test('moves the owner’s tokens to the recipient, and states the purpose', async () => {
    await stage.set(permissionOf())
    const before = [await stage.balanceOf(OWNER), await stage.balanceOf(SHOP)] as const
    const receipt = await stage.spend(permissionOf(), { amount: 250_000n, ref: 42n })
    expect([await stage.balanceOf(OWNER), await stage.balanceOf(SHOP)]).toEqual([
      before[0] - 250_000n,
      before[1] + 250_000n,
    ])
    expect(tellPermissionEvents(receipt)).toEqual([
      {
        eventName: 'PermissionSpent',
        owner: OWNER,
        spender: SPENDER,
        id: idOf(permissionOf()),
        token: chain.usdc,
        to: SHOP,
        amount: 250_000n,
        ref: 42n,
      },
    ])
    expect(await stage.balanceOf(chain.spendPermissions)).toBe(0n)
  })

  test('PERM-06 is permitted only to the spender, for the permitted scope and token', async () => {
    await stage.set(permissionOf())
    const tried = [
      [STRANGER, permissionOf()],
      [OWNER, permissionOf()],
      [SPENDER, permissionOf({ capability: 'buys' })],
      [SPENDER, permissionOf({ agentId: 8n })],
      [SPENDER, permissionOf({ owner: OTHER_OWNER })],
      [SPENDER, permissionOf({ token: chain.agentRegistry })],
    ] as const
    for (const [caller, permission] of tried)
      expect(await stage.refusalOf(caller, encodeSpendOf(permission))).toEqual(['NotPermitted'])
  })

  test('moves at most the limit each time and the cap in total', async () => {
    const permission = permissionOf({ limit: 400n, cap: 1_000n })
    await stage.set(permission)
    expect(await stage.refusalOf(SPENDER, encodeSpendOf(permission, { amount: 401n }))).toEqual([
      'AboveLimit',
      401n,
      400n,
    ])
    await stage.spend(permission, { amount: 400n })
    await stage.spend(permission, { amount: 400n })
    expect(await stage.refusalOf(SPENDER, encodeSpendOf(permission, { amount: 201n }))).toEqual([
      'AboveCap',
      201n,
      200n,
    ])
    await stage.spend(permission, { amount: 200n })
    expect(await stage.refusalOf(SPENDER, encodeSpendOf(permission, { amount: 1n }))).toEqual([
      'AboveCap',
      1n,
      0n,
    ])
    expect(await stage.statusOf(permission)).toMatchObject({ cap: 1_000n, spent: 1_000n })
  })

  test('refuses an amount of zero, and amounts that would overflow', async () => {
    await stage.set(permissionOf({ limit: MAX_CAP, cap: MAX_CAP }))
    const refused = async (amount: bigint) =>
      await stage.refusalOf(SPENDER, encodeSpendOf(permissionOf(), { amount }))
    expect(await refused(0n)).toEqual(['AmountZero'])
    for (const amount of [2n ** 88n, 2n ** 88n + 1n, 2n ** 256n - 1n])
      expect(await refused(amount)).toEqual(['AboveLimit', amount, MAX_CAP])
  })

  test('ends with the second of the expiry', async () => {
    const expiry = (await stage.now()) + 1_000n
    const permission = permissionOf({ expiry })
    await stage.set(permission)
    await stage.jumpTo(expiry - 2n)
    await stage.spend(permission)
    await stage.jumpTo(expiry)
    expect(await stage.available(permission)).toBe(0n)
    const [error, at] = await stage.refusalOf(SPENDER, encodeSpendOf(permission))
    expect([error, at]).toEqual(['PermissionExpired', expiry])
    await stage.set(permissionOf())
    await stage.spend(permissionOf())
  })

  test('accepts each ref once, even when the permission was set again or revoked in between', async () => {
    const spend = async (ref: bigint) => await stage.spend(permissionOf(), { ref, amount: 1n })
    const refused = async (ref: bigint) =>
      await stage.refusalOf(SPENDER, encodeSpendOf(permissionOf(), { ref, amount: 1n }))
    await stage.set(permissionOf())
    const refs = [0n, 1n, 255n, 256n, 2n ** 128n, 2n ** 256n - 1n]
    for (const ref of refs) await spend(ref)
    for (const ref of refs) expect(await refused(ref)).toEqual(['RefUsed', ref])
    await stage.set(permissionOf({ cap: 9_000_000n }))
    expect(await refused(255n)).toEqual(['RefUsed', 255n])
    await stage.revoke(permissionOf())
    await stage.set(permissionOf())
    for (const ref of refs) expect(await refused(ref)).toEqual(['RefUsed', ref])
    await spend(254n)
    expect(await stage.view('isRefUsed', [idOf(permissionOf()), 254n])).toBe(true)
    expect(await stage.view('isRefUsed', [idOf(permissionOf()), 253n])).toBe(false)
  })

  test('counts a ref for one owner, spender, token and scope, so that no other account can use it up', async () => {
    const others = [
      permissionOf({ spender: OTHER_SPENDER }),
      permissionOf({ capability: 'sell' }),
      permissionOf({ agentId: 8n }),
      permissionOf({ owner: OTHER_OWNER }),
    ]
    for (const permission of [permissionOf(), ...others]) await stage.set(permission)
    await stage.spend(permissionOf(), { ref: 5n })
    for (const permission of others) await stage.spend(permission, { ref: 5n })
  })

  test('uses up neither ref nor cap when it fails', async () => {
    await stage.set(permissionOf())
    await stage.approve(OWNER, 0n)
    const receipt = await stage.tryTo(SPENDER, encodeSpendOf(permissionOf(), { ref: 5n }))
    expect(receipt.status).toBe('reverted')
    expect(await stage.statusOf(permissionOf())).toMatchObject({ spent: 0n })
    await stage.approve(OWNER, 5_000_000n)
    await stage.spend(permissionOf(), { ref: 5n })
  })

  test('goes to listed recipients only, if there is a list, and the last setting’s list counts', async () => {
    const refused = async (to: `0x${string}`) =>
      await stage.refusalOf(SPENDER, encodeSpendOf(permissionOf(), { to }))
    await stage.set(permissionOf({ recipients: [SHOP, OTHER_SPENDER] }))
    await stage.spend(permissionOf(), { to: SHOP })
    await stage.spend(permissionOf(), { to: OTHER_SPENDER })
    expect(await refused(SPENDER)).toEqual(['RecipientNotListed', SPENDER])
    await stage.set(permissionOf({ recipients: [OTHER_SPENDER] }))
    expect(await refused(SHOP)).toEqual(['RecipientNotListed', SHOP])
    const isRecipient = async (to: string) => await stage.view('isRecipient', [idOf(permissionOf()), to])
    expect([await isRecipient(SHOP), await isRecipient(OTHER_SPENDER)]).toEqual([false, true])
    await stage.set(permissionOf())
    await stage.spend(permissionOf(), { to: STRANGER })
    expect(await isRecipient(SHOP)).toBe(true)
    await stage.revoke(permissionOf())
    expect(await isRecipient(SHOP)).toBe(false)
    await stage.set(permissionOf({ recipients: [SHOP] }))
    expect(await refused(OTHER_SPENDER)).toEqual(['RecipientNotListed', OTHER_SPENDER])
  })

  test('checks limit and cap for each of several in one multicall, all or none', async () => {
    await stage.set(permissionOf({ limit: 400n, cap: 1_000n }))
    const spends = (...amounts: bigint[]) =>
      encode('multicall', [amounts.map(amount => encodeSpendOf(permissionOf(), { amount }))])
    expect(await stage.refusalOf(SPENDER, spends(400n, 400n, 400n))).toEqual(['AboveCap', 400n, 200n])
    expect(await stage.refusalOf(STRANGER, spends(1n))).toEqual(['NotPermitted'])
    await stage.call(SPENDER, spends(400n, 400n, 200n))
    expect(await stage.statusOf(permissionOf())).toMatchObject({ spent: 1_000n })
  })
})

describe('revoke', () => {
  test('PERM-03 ends the permission at once: no spend in a later block, whatever was set before', async () => {
    await stage.set(permissionOf())
    await stage.spend(permissionOf(), { amount: 300n })
    const receipt = await stage.revoke(permissionOf())
    const { scope } = keyOf(permissionOf())
    expect(tellPermissionEvents(receipt)).toEqual([
      {
        eventName: 'PermissionRevoked',
        owner: OWNER,
        spender: SPENDER,
        id: idOf(permissionOf()),
        token: chain.usdc,
        scope,
        nonce: 2n,
      },
    ])
    expect(await stage.refusalOf(SPENDER, encodeSpendOf(permissionOf()))).toEqual(['NotPermitted'])
    expect(await stage.available(permissionOf())).toBe(0n)
    expect(await stage.statusOf(permissionOf())).toEqual({
      limit: 0n,
      cap: 300n,
      spent: 300n,
      expiry: 0n,
      nonce: 2n,
      isListed: false,
    })
  })

  test('keeps the spent amount: a cap counts from the first setting', async () => {
    await stage.set(permissionOf({ limit: 300n, cap: 500n }))
    await stage.spend(permissionOf(), { amount: 300n })
    await stage.revoke(permissionOf())
    await stage.set(permissionOf({ limit: 300n, cap: 500n }))
    expect(await stage.available(permissionOf())).toBe(200n)
  })

  test('affects only permissions of the caller', async () => {
    await stage.set(permissionOf())
    await stage.call(STRANGER, encodeRevoke(permissionOf()))
    await stage.call(SPENDER, encodeRevoke(permissionOf()))
    await stage.spend(permissionOf())
  })

  test('does not change the owner’s other permissions', async () => {
    const other = permissionOf({ capability: 'sell' })
    await stage.set(permissionOf())
    await stage.set(other)
    await stage.revoke(permissionOf())
    await stage.spend(other)
    expect(await stage.view('permissionsOf', [OWNER, chain.usdc])).toEqual([idOf(other)])
  })
})

describe('available', () => {
  test('is the smallest of limit, remaining cap, allowance and balance', async () => {
    await stage.set(permissionOf({ limit: 400n, cap: 1_000n }))
    expect(await stage.available(permissionOf())).toBe(400n)
    await stage.spend(permissionOf(), { amount: 400n })
    await stage.spend(permissionOf(), { amount: 400n })
    expect(await stage.available(permissionOf())).toBe(200n)
    await stage.approve(OWNER, 150n)
    expect(await stage.available(permissionOf())).toBe(150n)
    await stage.token(OWNER, 'transfer', [STRANGER, (await stage.balanceOf(OWNER)) - 70n])
    expect(await stage.available(permissionOf())).toBe(70n)
    await stage.spend(permissionOf(), { amount: 70n })
    expect(await stage.available(permissionOf())).toBe(0n)
  })

  test('PERM-02 is limited by the allowance for all permissions of an owner together', async () => {
    const other = permissionOf({ capability: 'sell' })
    await stage.set(permissionOf())
    await stage.set(other)
    await stage.approve(OWNER, 1_200_000n)
    await stage.spend(permissionOf(), { amount: 1_000_000n })
    expect(await stage.available(other)).toBe(200_000n)
    const receipt = await stage.tryTo(SPENDER, encodeSpendOf(other, { amount: 200_001n }))
    expect(receipt.status).toBe('reverted')
  })
})

describe('totalLeft', () => {
  test('PERM-04 is the allowance to set: an exact one remains exact while it is spent', async () => {
    const other = permissionOf({ spender: OTHER_SPENDER })
    await stage.set(permissionOf())
    await stage.set(other)
    await stage.approve(OWNER, await stage.totalLeft(OWNER))
    await stage.spend(permissionOf())
    await stage.spend(other, { amount: 1_000_000n })
    expect(await stage.totalLeft(OWNER)).toBe(8_750_000n)
    expect(await stage.allowanceOf(OWNER)).toBe(8_750_000n)
  })

  test('excludes expired and revoked permissions, other owners and other tokens', async () => {
    const expiry = (await stage.now()) + 1_000n
    await stage.set(permissionOf({ capability: 'soon', cap: 2_000_000n, expiry }))
    await stage.set(permissionOf({ capability: 'gone' }))
    await stage.set(permissionOf({ owner: OTHER_OWNER }))
    await stage.set(permissionOf({ cap: 3_000_000n }))
    expect(await stage.totalLeft(OWNER)).toBe(10_000_000n)
    await stage.revoke(permissionOf({ capability: 'gone' }))
    expect(await stage.totalLeft(OWNER)).toBe(5_000_000n)
    await stage.jumpTo(expiry)
    expect(await stage.totalLeft(OWNER)).toBe(3_000_000n)
    expect(await stage.totalLeft(OWNER, chain.agentRegistry)).toBe(0n)
    expect(await stage.totalLeft(OTHER_OWNER)).toBe(5_000_000n)
  })

  test('PERM-04 limits spends to the permissions even when the allowance is unlimited', async () => {
    await stage.set(permissionOf({ limit: 400n, cap: 400n }))
    await stage.approve(OWNER, 2n ** 256n - 1n)
    await stage.spend(permissionOf(), { amount: 400n })
    expect(await stage.available(permissionOf())).toBe(0n)
    expect(await stage.totalLeft(OWNER)).toBe(0n)
  })
})
