import { LOCAL_USDC_ADDRESS, SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import {
  encodeAvailable,
  encodeSpend,
  permissionId,
  readAvailable,
  scopeOf as scopeByHand,
  spendRefusal,
} from '@farebox/contracts/permission-calls'
import {
  permissionTypedData,
  revocationTypedData,
  type SignedOnce,
  type SpendPermission,
} from '@farebox/contracts/permission-typed-data'
import { spendPermissionsAbi } from '@farebox/contracts/spend-permissions'
import { signingWalletAbi, signingWalletBytecode } from '@farebox/contracts/src/testing/signing-wallet'
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import {
  encodeErrorResult,
  encodeFunctionData,
  domainSeparator,
  parseSignature,
  serializeSignature,
  toHex,
} from 'viem'
import type { Abi, Address, Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  encode,
  encodeSpendOf,
  FAR_EXPIRY,
  idOf,
  keyOf,
  OWNER,
  permissionOf,
  permissionStage,
  revertData,
  scopeOf,
  SHOP,
  SPENDER,
  STRANGER,
} from '../testing/permission-stage.ts'
import type { PermissionStage } from '../testing/permission-stage.ts'
import { deploy, reader, send } from '../testing/registry-calls.ts'
import { callAnvil } from './anvil-rpc.ts'
import { fund } from './faucet.ts'
import { startChain } from './start-chain.ts'
import type { LocalChain } from './start-chain.ts'
import { TEST_KEYS } from './test-keys.ts'

const owner = privateKeyToAccount(TEST_KEYS.payer.privateKey)
const stranger = privateKeyToAccount(TEST_KEYS.stranger.privateKey)
const ONCE: SignedOnce = { nonce: 0n, deadline: FAR_EXPIRY }

let chain: LocalChain
let stage: PermissionStage
let untouched: string

beforeAll(async () => {
  chain = await startChain()
  stage = permissionStage(chain)
  await fund(chain, OWNER, { usdcAtomic: 100_000_000n })
  await stage.approve(OWNER, 50_000_000n)
})
beforeEach(async () => {
  untouched = await stage.snapshot()
})
afterEach(async () => await stage.restore(untouched))
afterAll(async () => await chain.stop())

async function signSet(
  permission: SpendPermission,
  once: SignedOnce = ONCE,
  { account = owner, chainId = chain.chainId } = {},
): Promise<Hex> {
  return await account.signTypedData(permissionTypedData(chainId, permission, once))
}

async function signRevoke(permission: SpendPermission, once: SignedOnce): Promise<Hex> {
  return await owner.signTypedData(revocationTypedData(chain.chainId, keyOf(permission), once))
}

function encodeSetBySig(permission: SpendPermission, signature: Hex, deadline = ONCE.deadline): Hex {
  return encode('setBySig', [permission, deadline, signature])
}

function encodeRevokeBySig(permission: SpendPermission, signature: Hex, deadline = ONCE.deadline): Hex {
  const { spender, token, scope } = keyOf(permission)
  return encode('revokeBySig', [permission.owner, spender, token, scope, deadline, signature])
}

const refused = async (callData: Hex) => await stage.refusalOf(STRANGER, callData)

describe('setBySig', () => {
  test('sets what the owner signed, whichever account sends it', async () => {
    const permission = permissionOf({ recipients: [SHOP, SPENDER] })
    await stage.call(STRANGER, encodeSetBySig(permission, await signSet(permission)))
    expect(await stage.statusOf(permission)).toMatchObject({ limit: permission.limit, nonce: 1n })
    await stage.spend(permission)
  })

  test('refuses a change of any signed field', async () => {
    const permission = permissionOf({ recipients: [SHOP] })
    const signature = await signSet(permission)
    const others: Partial<SpendPermission>[] = [
      { owner: STRANGER },
      { spender: STRANGER },
      { token: chain.agentRegistry },
      { agentId: 8n },
      { capability: 'buys' },
      { limit: permission.limit + 1n },
      { cap: permission.cap + 1n },
      { expiry: permission.expiry + 1n },
      { recipients: [] },
      { recipients: [SHOP, STRANGER] },
      { recipients: [STRANGER] },
    ]
    for (const other of others)
      expect(await refused(encodeSetBySig({ ...permission, ...other }, signature))).toEqual([
        'SignatureInvalid',
      ])
    const later = encodeSetBySig(permission, signature, ONCE.deadline + 1n)
    expect(await refused(later)).toEqual(['SignatureInvalid'])
  })

  test('refuses a signature of another account, for another chain or contract, and random bytes', async () => {
    const permission = permissionOf()
    const foreign = permissionTypedData(chain.chainId, permission, ONCE)
    const signatures = [
      await signSet(permission, ONCE, { account: stranger }),
      await signSet(permission, ONCE, { chainId: 8453 }),
      await owner.signTypedData({
        ...foreign,
        domain: { ...foreign.domain, verifyingContract: chain.agentRegistry },
      }),
      '0x',
      `0x${'00'.repeat(65)}`,
      `0x${'ff'.repeat(65)}`,
    ] as const
    for (const signature of signatures)
      expect(await refused(encodeSetBySig(permission, signature))).toEqual(['SignatureInvalid'])
  })

  test('refuses the equivalent signature with a high s', async () => {
    const { r, s, yParity } = parseSignature(await signSet(permissionOf()))
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
    const mirrored = serializeSignature({
      r,
      s: toHex(order - BigInt(s), { size: 32 }),
      yParity: 1 - yParity,
    })
    expect(await refused(encodeSetBySig(permissionOf(), mirrored))).toEqual(['SignatureInvalid'])
  })

  test('refuses a signature after its deadline, and accepts it in that second', async () => {
    const deadline = (await stage.now()) + 1_000n
    const signature = await signSet(permissionOf(), { nonce: 0n, deadline })
    const callData = encodeSetBySig(permissionOf(), signature, deadline)
    const before = await stage.snapshot()
    await stage.jumpTo(deadline - 1n)
    await callAnvil(chain.rpcUrl, 'evm_setNextBlockTimestamp', [toHex(deadline)])
    await stage.call(STRANGER, callData)
    await stage.restore(before)
    await stage.jumpTo(deadline + 1n)
    expect(await refused(callData)).toEqual(['SignatureExpired', deadline, expect.any(BigInt)])
  })

  test('accepts a signature once', async () => {
    const callData = encodeSetBySig(permissionOf(), await signSet(permissionOf()))
    await stage.call(STRANGER, callData)
    expect(await refused(callData)).toEqual(['SignatureInvalid'])
    await stage.call(
      STRANGER,
      encodeSetBySig(permissionOf(), await signSet(permissionOf(), { ...ONCE, nonce: 1n })),
    )
  })

  test('refuses a signature from before the owner changed or revoked the permission', async () => {
    const generous = encodeSetBySig(permissionOf(), await signSet(permissionOf()))
    const before = await stage.snapshot()
    await stage.set(permissionOf({ limit: 1n, cap: 1n }))
    expect(await refused(generous)).toEqual(['SignatureInvalid'])
    await stage.restore(before)
    // Nothing is set yet: a revocation invalidates a signature that was given away.
    await stage.revoke(permissionOf())
    expect(await refused(generous)).toEqual(['SignatureInvalid'])
  })

  test('accepts signatures for several permissions in any order', async () => {
    const [one, other] = [permissionOf(), permissionOf({ capability: 'sell' })]
    const [first, second] = [await signSet(one), await signSet(other)]
    await stage.call(STRANGER, encodeSetBySig(other, second))
    await stage.call(STRANGER, encodeSetBySig(one, first))
  })

  test('follows the rules of set', async () => {
    const permission = permissionOf({ limit: 2n, cap: 1n })
    expect(await refused(encodeSetBySig(permission, await signSet(permission)))).toEqual([
      'LimitAboveCap',
      2n,
      1n,
    ])
  })

  test('verifies the signature of a contract owner through ERC-1271', async () => {
    const wallet = await createWallet(owner.address)
    const permission = permissionOf({ owner: wallet.address })
    const signature = await signSet(permission)
    expect(
      await refused(encodeSetBySig(permission, await signSet(permission, ONCE, { account: stranger }))),
    ).toEqual(['SignatureInvalid'])
    await stage.call(STRANGER, encodeSetBySig(permission, signature))
    await wallet.run(chain.usdc, encodeApprove(permission.cap))
    await fund(chain, wallet.address, { usdcAtomic: 5_000_000n })
    await stage.spend(permission)
    expect(await refused(encodeSetBySig(permission, signature))).toEqual(['SignatureInvalid'])
  })

  test('accepts only the new key of a contract whose key changed', async () => {
    const wallet = await createWallet(owner.address)
    const permission = permissionOf({ owner: wallet.address })
    const signature = await signSet(permission)
    await wallet.setSigner(stranger.address)
    expect(await refused(encodeSetBySig(permission, signature))).toEqual(['SignatureInvalid'])
    const newer = await signSet(permission, ONCE, { account: stranger })
    await stage.call(STRANGER, encodeSetBySig(permission, newer))
  })
})

describe('revokeBySig', () => {
  test('PERM-03 ends a permission of an owner without ether', async () => {
    await stage.set(permissionOf())
    const callData = encodeRevokeBySig(
      permissionOf(),
      await signRevoke(permissionOf(), { ...ONCE, nonce: 1n }),
    )
    await stage.call(STRANGER, callData)
    expect(await stage.refusalOf(SPENDER, encodeSpendOf(permissionOf()))).toEqual(['NotPermitted'])
    await stage.set(permissionOf())
    expect(await refused(callData)).toEqual(['SignatureInvalid'])
  })

  test('refuses a signature for another permission, and an expired one', async () => {
    await stage.set(permissionOf())
    const once = { ...ONCE, nonce: 1n }
    const signature = await signRevoke(permissionOf(), once)
    expect(await refused(encodeRevokeBySig(permissionOf({ capability: 'sell' }), signature))).toEqual([
      'SignatureInvalid',
    ])
    expect(await refused(encodeRevokeBySig(permissionOf({ owner: STRANGER }), signature))).toEqual([
      'SignatureInvalid',
    ])
    const setting = await signSet(permissionOf(), once)
    expect(await refused(encodeRevokeBySig(permissionOf(), setting))).toEqual(['SignatureInvalid'])
    const late = await signRevoke(permissionOf(), { ...once, deadline: 1n })
    expect(await refused(encodeRevokeBySig(permissionOf(), late, 1n))).toEqual([
      'SignatureExpired',
      1n,
      expect.any(BigInt),
    ])
  })
})

describe('permitToken', () => {
  test('PERM-04 works with setBySig in one transaction: two signatures, no transaction of the owner, exact', async () => {
    await stage.approve(OWNER, 0n)
    const permission = permissionOf()
    const callData = encode('multicall', [
      [encodeSetBySig(permission, await signSet(permission)), await encodePermit(permission.cap)],
    ])
    await stage.call(STRANGER, callData)
    expect(await stage.allowanceOf(OWNER)).toBe(await stage.totalLeft(OWNER))
    await stage.spend(permission)
    expect(await stage.allowanceOf(OWNER)).toBe(await stage.totalLeft(OWNER))
  })

  test('does not block the other calls when another account sent the permit first', async () => {
    await stage.approve(OWNER, 0n)
    const permit = await encodePermit(5_000_000n)
    const callData = encode('multicall', [[permit, encode('set', [permissionOf()])]])
    await stage.call(STRANGER, permit)
    await stage.call(OWNER, callData)
    expect(await stage.available(permissionOf())).toBe(1_000_000n)
  })

  test('uses the sender of a multicall in each of its calls', async () => {
    const callData = encode('multicall', [[encode('set', [permissionOf()])]])
    expect(await refused(callData)).toEqual(['CallerNotOwner', STRANGER, OWNER])
  })
})

describe('the client side', () => {
  test('signs for the domain that the contract returns', async () => {
    const { domain } = permissionTypedData(chain.chainId, permissionOf(), ONCE)
    const separator = domainSeparator({ domain })
    expect(await stage.view('DOMAIN_SEPARATOR', [])).toBe(separator)
    expect(domain.verifyingContract).toBe(SPEND_PERMISSIONS_ADDRESS)
  })

  test('encodes calls like an ABI library, and names each refusal of a spend', async () => {
    const crypto = await loadEvmCrypto()
    const permission = permissionOf({ capability: 'kaufe Ähren', agentId: 2n ** 200n })
    const key = keyOf(permission)
    expect(scopeByHand(crypto, permission.agentId, permission.capability)).toBe(scopeOf(permission))
    expect(permissionId(crypto, key)).toBe(idOf(permission))
    const [amount, ref] = [123_456n, 2n ** 255n]
    const { owner: from, spender, token, scope } = key
    expect(encodeSpend({ owner: from, token, scope, to: SHOP, amount, ref })).toBe(
      encode('spend', [from, token, scope, SHOP, amount, ref]),
    )
    expect(encodeAvailable(key)).toBe(encode('available', [from, spender, token, scope]))
    const args: { readonly [error: string]: readonly unknown[] } = {
      RefUsed: [1n],
      NotPermitted: [],
      PermissionExpired: [1n, 2n],
      AmountZero: [],
      AboveLimit: [2n, 1n],
      AboveCap: [2n, 1n],
      RecipientNotListed: [SHOP],
    }
    const abi: Abi = spendPermissionsAbi
    for (const [errorName, values] of Object.entries(args))
      expect(spendRefusal(encodeErrorResult({ abi, errorName, args: values }))).toBe(errorName)
    expect(spendRefusal('0x')).toBeUndefined()
    expect(spendRefusal(encodeErrorResult({ abi, errorName: 'SignatureInvalid' }))).toBeUndefined()
  })

  test('PERM-07 reads from the node how much can be spent, and why a spend would be refused', async () => {
    await stage.set(permissionOf())
    const ask = async (data: Hex, account: Address = SPENDER) =>
      (await reader(chain).call({ account, to: chain.spendPermissions, data })).data
    expect(readAvailable(await ask(encodeAvailable(keyOf(permissionOf()))))).toBe(1_000_000n)
    await stage.revoke(permissionOf())
    const error = await ask(encodeSpendOf(permissionOf())).catch((thrown: unknown) => thrown)
    expect(spendRefusal(revertData(error))).toBe('NotPermitted')
    expect(() => readAvailable('0x')).toThrow('is SpendPermissions on this chain?')
    expect(() => encodeSpend({ ...keyOf(permissionOf()), to: SHOP, amount: -1n, ref: 0n })).toThrow(
      'must be 0 to 2^256 - 1',
    )
  })
})

async function encodePermit(value: bigint): Promise<Hex> {
  const nonce = await stage.tokenView('nonces', [OWNER])
  const signature = await owner.signTypedData({
    domain: { name: 'USDC', version: '2', chainId: chain.chainId, verifyingContract: LOCAL_USDC_ADDRESS },
    types: {
      Permit: [
        { name: 'owner', type: 'address' },
        { name: 'spender', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
      ],
    },
    primaryType: 'Permit',
    message: { owner: OWNER, spender: chain.spendPermissions, value, nonce, deadline: FAR_EXPIRY },
  })
  const { r, s, v } = parseSignature(signature)
  return encode('permitToken', [chain.usdc, OWNER, value, FAR_EXPIRY, Number(v), r, s])
}

function encodeApprove(amount: bigint): Hex {
  const abi = [
    {
      type: 'function',
      name: 'approve',
      stateMutability: 'nonpayable',
      inputs: [{ type: 'address' }, { type: 'uint256' }],
      outputs: [{ type: 'bool' }],
    },
  ] as const
  return encodeFunctionData({ abi, args: [SPEND_PERMISSIONS_ADDRESS, amount] })
}

/** Creates a contract wallet that accepts this key's signatures. */
async function createWallet(signer: Address) {
  const address = await deploy(chain, signingWalletBytecode)
  const abi: Abi = signingWalletAbi
  const tell = async (functionName: string, args: readonly unknown[]) => {
    const callData = encodeFunctionData({ abi, functionName, args })
    const { status } = await send(chain, { from: STRANGER, to: address, callData })
    if (status !== 'success') throw new Error(`${functionName}: failed`)
  }
  await tell('setSigner', [signer])
  return {
    address,
    setSigner: async (next: Address) => await tell('setSigner', [next]),
    run: async (target: Address, callData: Hex) => await tell('run', [target, callData]),
  }
}
