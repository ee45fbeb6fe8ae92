import { decodeFunctionData, hashTypedData, keccak256, toHex, type Abi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import { localUsdcAbi } from '@farebox/contracts/local-usdc'
import { scopeOf } from '@farebox/contracts/permission-calls'
import {
  encodeApprove,
  encodeMulticall,
  encodePermitToken,
  encodeRevoke,
  encodeSet,
} from '@farebox/contracts/permission-transactions'
import type { SpendPermission } from '@farebox/contracts/permission-typed-data'
import { spendPermissionsAbi } from '@farebox/contracts/spend-permissions'
import { permitDigest, permitTypedData } from '@farebox/contracts/token-permit'

const OWNER = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const SPENDER = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65'
const TOKEN = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
const ACCOUNT = privateKeyToAccount(keccak256('0x01'))

function permissionOf(changes: Partial<SpendPermission> = {}): SpendPermission {
  return {
    owner: OWNER,
    spender: SPENDER,
    token: TOKEN,
    agentId: 7n,
    capability: 'buy',
    limit: 1_000_000n,
    cap: 5_000_000n,
    expiry: 4_000_000_000n,
    recipients: [],
    ...changes,
  }
}

function decode(data: `0x${string}`, abi: Abi = spendPermissionsAbi) {
  return decodeFunctionData({ abi, data })
}

describe('a transaction for SpendPermissions', () => {
  test.each([
    [permissionOf()],
    [permissionOf({ recipients: [OWNER, SPENDER] })],
    [permissionOf({ capability: 'x'.repeat(32), agentId: 2n ** 256n - 1n })],
    [permissionOf({ capability: `${'é'.repeat(20)}‮`, recipients: [OWNER] })],
    [permissionOf({ capability: '' })],
  ])('sets the given terms, as decoded by the ABI of the contract (%#)', permission => {
    expect(decode(encodeSet(permission))).toEqual({ functionName: 'set', args: [permission] })
  })

  test('revokes the given permission', () => {
    const scope = scopeOf({ keccak256: bytes => keccak256(bytes, 'bytes') }, 7n, 'buy')
    const revoked = decode(encodeRevoke({ spender: SPENDER, token: TOKEN, scope }))
    expect(revoked).toEqual({ functionName: 'revoke', args: [SPENDER, TOKEN, scope] })
  })

  test('contains several calls of different lengths', () => {
    const calls = [encodeSet(permissionOf()), encodeApprove(1n), encodeSet(permissionOf({ capability: '' }))]
    expect(decode(encodeMulticall(calls))).toEqual({ functionName: 'multicall', args: [calls] })
    expect(decode(encodeMulticall([]))).toEqual({ functionName: 'multicall', args: [[]] })
  })

  test('passes on a permit and converts a recovery id of 0 or 1 to the form of the token', () => {
    const [r, s] = ['11'.repeat(32), '22'.repeat(32)]
    for (const [last, v] of [
      ['1b', 27],
      ['1c', 28],
      ['00', 27],
      ['01', 28],
    ] as const) {
      const signature = `0x${r}${s}${last}`
      const permit = { token: TOKEN, owner: OWNER, value: 5n, deadline: 9n, signature }
      expect(decode(encodePermitToken(permit))).toEqual({
        functionName: 'permitToken',
        args: [TOKEN, OWNER, 5n, 9n, v, `0x${r}`, `0x${s}`],
      })
    }
  })

  test.each(['0x', `0x${'11'.repeat(64)}`, `0x${'11'.repeat(66)}`, 'nonsense'])(
    'a signature of another length is refused: %s',
    signature => {
      const permit = { token: TOKEN, owner: OWNER, value: 5n, deadline: 9n, signature }
      expect(() => encodePermitToken(permit)).toThrow('65 bytes')
    },
  )
})

describe('a transaction for the token', () => {
  test('approves SpendPermissions, or the given account', () => {
    expect(decode(encodeApprove(5n), localUsdcAbi)).toEqual({
      functionName: 'approve',
      args: [SPEND_PERMISSIONS_ADDRESS, 5n],
    })
    expect(decode(encodeApprove(0n, SPENDER), localUsdcAbi).args).toEqual([SPENDER, 0n])
  })

  test.each([-1n, 2n ** 256n])('refuses an amount that exceeds a word: %s', amount => {
    expect(() => encodeApprove(amount)).toThrow(RangeError)
  })

  test('signs a permit that names SpendPermissions and the whole allowance', async () => {
    const owner = ACCOUNT.address
    const terms = { chainId: 84532, token: TOKEN, name: 'USDC', version: '2', owner, value: 5n }
    const typed = permitTypedData({ ...terms, nonce: 3n, deadline: 9n })
    expect(typed.message).toEqual({
      owner,
      spender: SPEND_PERMISSIONS_ADDRESS,
      value: 5n,
      nonce: 3n,
      deadline: 9n,
    })
    expect(typed.domain).toEqual({ name: 'USDC', version: '2', chainId: 84532, verifyingContract: TOKEN })
    expect(hashTypedData(typed)).not.toBe(
      hashTypedData(permitTypedData({ ...terms, nonce: 4n, deadline: 9n })),
    )
    expect(await ACCOUNT.signTypedData(typed)).toMatch(/^0x[0-9a-f]{130}$/)
    const digest = permitDigest(
      { keccak256: bytes => keccak256(bytes, 'bytes') },
      { ...terms, nonce: 3n, deadline: 9n },
    )
    expect(toHex(digest)).toBe(hashTypedData(typed))
  })
})
