import type { Address, Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  encode,
  encodeRevoke,
  encodeSpendOf,
  OWNER,
  permissionOf,
  permissionStage,
  SHOP,
  SPENDER,
} from '../testing/permission-stage.ts'
import type { PermissionStage } from '../testing/permission-stage.ts'
import { fund } from './faucet.ts'
import { startChain } from './start-chain.ts'
import type { LocalChain } from './start-chain.ts'

// Whole transactions in LocalUSDC to an account with a balance. The README of @farebox/contracts has the figures.

const MAX_SPEND_GAS = 80_000n

let chain: LocalChain
let stage: PermissionStage
beforeAll(async () => {
  chain = await startChain()
  stage = permissionStage(chain)
  await fund(chain, OWNER, { usdcAtomic: 100_000_000n })
  await fund(chain, SHOP, { usdcAtomic: 1n })
  await stage.approve(OWNER, 10_000_000n)
})
afterAll(async () => await chain.stop())

const gas = async (from: Address, callData: Hex) => (await stage.call(from, callData)).gasUsed

test('a second spend takes at most 80,000 gas, and no call more than documented', async () => {
  const permission = permissionOf()
  const listed = permissionOf({ capability: 'listed', recipients: [SHOP] })
  // The refs share one word of the contract's bitmap: a spend that uses a new word costs more.
  const spend = (ref: bigint) => encodeSpendOf(permission, { ref })
  const ten = Array.from({ length: 10 }, (_, at) =>
    encodeSpendOf(permission, { amount: 1n, ref: 2n + BigInt(at) }),
  )
  const figures = {
    firstSet: await gas(OWNER, encode('set', [permission])),
    setWithOneRecipient: await gas(OWNER, encode('set', [listed])),
    change: await gas(OWNER, encode('set', [permission])),
    firstSpend: await gas(SPENDER, spend(0n)),
    secondSpend: await gas(SPENDER, spend(1n)),
    spendWithFarRef: await gas(SPENDER, encodeSpendOf(permission, { ref: 2n ** 255n })),
    spendToListed: await gas(SPENDER, encodeSpendOf(listed)),
    eachOfTen: (await gas(SPENDER, encode('multicall', [ten]))) / 10n,
    revoke: await gas(OWNER, encodeRevoke(permission)),
  }
  console.log('SpendPermissions gas', figures)
  const limits: Readonly<Record<keyof typeof figures, bigint>> = {
    firstSet: 151_000n,
    setWithOneRecipient: 158_000n,
    change: 49_000n,
    firstSpend: 84_500n,
    secondSpend: MAX_SPEND_GAS,
    spendWithFarRef: 84_500n,
    spendToListed: 87_000n,
    eachOfTen: 21_000n,
    revoke: 55_000n,
  }
  for (const [name, used] of Object.entries(figures))
    expect([name, used <= limits[name as keyof typeof figures]]).toEqual([name, true])
})
