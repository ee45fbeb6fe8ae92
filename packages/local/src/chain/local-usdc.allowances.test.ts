import { LOCAL_USDC_ADDRESS } from '@farebox/contracts/addresses'
import { localUsdcAbi } from '@farebox/contracts/local-usdc'
import { encodeFunctionData, parseSignature } from 'viem'
import type { Abi, Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FAR_EXPIRY, OWNER, permissionStage, SPENDER, STRANGER } from '../testing/permission-stage.ts'
import type { PermissionStage } from '../testing/permission-stage.ts'
import { startChain } from './start-chain.ts'
import type { LocalChain } from './start-chain.ts'
import { TEST_KEYS } from './test-keys.ts'

const owner = privateKeyToAccount(TEST_KEYS.payer.privateKey)

let chain: LocalChain
let stage: PermissionStage
beforeAll(async () => {
  chain = await startChain()
  stage = permissionStage(chain)
})
afterAll(async () => await chain.stop())

const allowance = async () => await stage.tokenView('allowance', [OWNER, SPENDER])

describe('EIP-2612 permit of LocalUSDC', () => {
  test('sets the allowance that its owner signed, once, whichever account sends it', async () => {
    const callData = await encodePermit({ value: 500n })
    await stage.callTo(chain.usdc, STRANGER, callData)
    expect(await allowance()).toBe(500n)
    expect(await reverts(callData)).toBe(true)
    await stage.callTo(chain.usdc, STRANGER, await encodePermit({ value: 0n }))
    expect(await allowance()).toBe(0n)
  })

  test('refuses a value or an owner other than the signed one, and a deadline that has passed', async () => {
    expect(await reverts(await encodePermit({ value: 5n, sent: { value: 6n } }))).toBe(true)
    expect(await reverts(await encodePermit({ value: 5n, sent: { owner: STRANGER } }))).toBe(true)
    expect(await reverts(await encodePermit({ value: 5n, deadline: 1n }))).toBe(true)
    expect(await reverts(await encodePermit({ value: 5n }))).toBe(false)
  })
})

test('increaseAllowance and decreaseAllowance of LocalUSDC add and subtract, never below zero', async () => {
  await stage.token(OWNER, 'approve', [SPENDER, 10n])
  await stage.token(OWNER, 'increaseAllowance', [SPENDER, 5n])
  expect(await allowance()).toBe(15n)
  await stage.token(OWNER, 'decreaseAllowance', [SPENDER, 7n])
  expect(await allowance()).toBe(8n)
  await expect(stage.token(OWNER, 'decreaseAllowance', [SPENDER, 9n])).rejects.toThrow('failed')
})

async function reverts(callData: Hex): Promise<boolean> {
  return (await stage.tryAt(chain.usdc, STRANGER, callData)).status === 'reverted'
}

/** A permit as its owner signed it, with the fields in `sent` replaced. */
async function encodePermit({
  value,
  deadline = FAR_EXPIRY,
  sent = {},
}: {
  readonly value: bigint
  readonly deadline?: bigint
  readonly sent?: { readonly value?: bigint; readonly owner?: Hex }
}): Promise<Hex> {
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
    message: { owner: OWNER, spender: SPENDER, value, nonce, deadline },
  })
  const { r, s, v } = parseSignature(signature)
  const abi: Abi = localUsdcAbi
  const args = [sent.owner ?? OWNER, SPENDER, sent.value ?? value, deadline, Number(v), r, s]
  return encodeFunctionData({ abi, functionName: 'permit', args })
}
