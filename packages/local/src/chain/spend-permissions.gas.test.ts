import { afterAll, beforeAll, expect, test } from 'vitest'
import { fund } from './faucet.ts'
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
import { startChain } from './start-chain.ts'
import type { LocalChain } from './start-chain.ts'

/** A second spend of a permission, to somebody who holds the token already: what nearly every spend is. */
const MAX_SPEND_GAS = 80_000n

let chain: LocalChain
beforeAll(async () => {
  chain = await startChain()
  await fund(chain, OWNER, { usdcAtomic: 100_000_000n })
  await fund(chain, SHOP, { usdcAtomic: 1n })
})
afterAll(async () => await chain.stop())

test('a spend takes at most 80,000 gas, and the other calls what the documentation says', async () => {
  const stage = permissionStage(chain)
  const permission = permissionOf()
  const listed = permissionOf({ capability: 'listed', recipients: [SHOP] })
  const gas = async (from: `0x${string}`, callData: `0x${string}`) =>
    (await stage.call(from, callData)).gasUsed
  const figures = {
    'first set': await gas(OWNER, encode('set', [permission])),
    'set of a second permission, one recipient': await gas(OWNER, encode('set', [listed])),
    change: await gas(OWNER, encode('set', [permission])),
    ...(await stage.approve(OWNER, 10_000_000n), {}),
    'first spend': await gas(SPENDER, encodeSpendOf(permission)),
    'second spend': await gas(SPENDER, encodeSpendOf(permission)),
    'spend with a ref far from all others': await gas(
      SPENDER,
      encodeSpendOf(permission, { ref: 2n ** 255n }),
    ),
    'spend with a list': await gas(SPENDER, encodeSpendOf(listed)),
    'each of ten spends in one transaction':
      (await gas(
        SPENDER,
        encode('multicall', [Array.from({ length: 10 }, () => encodeSpendOf(permission, { amount: 1n }))]),
      )) / 10n,
    revoke: await gas(OWNER, encodeRevoke(permission)),
  }
  console.log('SpendPermissions gas', figures)
  expect(figures['second spend']).toBeLessThanOrEqual(MAX_SPEND_GAS)
})
