import { LOCAL_USDC_ADDRESS, SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import { localUsdcAbi } from '@farebox/contracts/local-usdc'
import type { PermissionKey, SpendPermission } from '@farebox/contracts/permission-typed-data'
import { spendPermissionsAbi } from '@farebox/contracts/spend-permissions'
import {
  BaseError,
  decodeErrorResult,
  encodeAbiParameters,
  encodeFunctionData,
  encodePacked,
  keccak256,
  numberToHex,
  parseEventLogs,
} from 'viem'
import type { Abi, Address, Hex, TransactionReceipt } from 'viem'
import { callAnvil, callAnvilForText } from '../chain/anvil-rpc.ts'
import type { LocalChain } from '../chain/start-chain.ts'
import { TEST_KEYS } from '../chain/test-keys.ts'
import { reader, send } from './registry-calls.ts'

/** Helpers for tests of SpendPermissions: calls of the contract and of tokens, and their results. */

export const OWNER = TEST_KEYS.payer.address
export const SPENDER = TEST_KEYS.agent.address
export const SHOP = TEST_KEYS.thirdAgent.address
export const STRANGER = TEST_KEYS.stranger.address

/** Later than every block of a test. */
export const FAR_EXPIRY = 4_000_000_000n

/** A valid permission; in USDC 1.00 for each spend and 5.00 in total. */
export function permissionOf(changes: Partial<SpendPermission> = {}): SpendPermission {
  return {
    owner: OWNER,
    spender: SPENDER,
    token: LOCAL_USDC_ADDRESS,
    agentId: 7n,
    capability: 'buy',
    limit: 1_000_000n,
    cap: 5_000_000n,
    expiry: FAR_EXPIRY,
    recipients: [],
    ...changes,
  }
}

/** The contract's `scopeOf`, by viem. */
export function scopeOf({ agentId, capability }: Pick<SpendPermission, 'agentId' | 'capability'>): Hex {
  return keccak256(encodePacked(['uint256', 'string'], [agentId, capability]))
}

export function keyOf(permission: SpendPermission): PermissionKey {
  const { owner, spender, token } = permission
  return { owner, spender, token, scope: scopeOf(permission) }
}

/** The contract's `idOf`, by viem. */
export function idOf(permission: SpendPermission): Hex {
  const { owner, spender, token, scope } = keyOf(permission)
  const types = [{ type: 'address' }, { type: 'address' }, { type: 'address' }, { type: 'bytes32' }] as const
  return keccak256(encodeAbiParameters(types, [owner, spender, token, scope]))
}

/** The parts of a spend besides its permission. */
export interface SpendChoice {
  readonly from?: Address
  readonly to?: Address
  readonly amount?: bigint
  readonly ref?: bigint
}

let lastRef = 1_000_000n

/** The call data of a spend of 0.25 to the shop, with a unique ref by default. */
export function encodeSpendOf(permission: SpendPermission, choice: SpendChoice = {}): Hex {
  lastRef += 1n
  const { to = SHOP, amount = 250_000n, ref = lastRef } = choice
  const { owner, token, scope } = keyOf(permission)
  return encode('spend', [owner, token, scope, to, amount, ref])
}

/** Encodes a call of SpendPermissions. */
export function encode(functionName: string, args: readonly unknown[]): Hex {
  const abi: Abi = spendPermissionsAbi
  return encodeFunctionData({ abi, functionName, args })
}

/** Returns the helpers for one chain. */
export function permissionStage(chain: LocalChain) {
  const to = SPEND_PERMISSIONS_ADDRESS
  const sendTo = async (from: Address, callData: Hex) => await send(chain, { from, to, callData })
  const view = async (functionName: string, args: readonly unknown[]) => {
    const abi: Abi = spendPermissionsAbi
    return await reader(chain).readContract({ address: to, abi, functionName, args })
  }
  const token = async (
    from: Address,
    functionName: string,
    args: readonly unknown[],
    at: Address = chain.usdc,
  ) => {
    const abi: Abi = localUsdcAbi
    return done(
      await send(chain, { from, to: at, callData: encodeFunctionData({ abi, functionName, args }) }),
    )
  }
  const tokenView = async (functionName: string, args: readonly unknown[], at: Address = chain.usdc) => {
    const abi: Abi = localUsdcAbi
    return (await reader(chain).readContract({ address: at, abi, functionName, args })) as bigint
  }
  return {
    view,
    token,
    tokenView,
    /** Sends a call; resolves to its receipt whether or not the call failed. */
    tryTo: sendTo,
    /** Makes an account call another contract; the receipt says whether the call failed. */
    tryAt: async (target: Address, from: Address, callData: Hex) =>
      await send(chain, { from, to: target, callData }),
    /** Sends a call that must succeed. */
    call: async (from: Address, callData: Hex) => done(await sendTo(from, callData)),
    /** Makes an account call another contract; the call must succeed. */
    callTo: async (target: Address, from: Address, callData: Hex) =>
      done(await send(chain, { from, to: target, callData })),
    set: async (permission: SpendPermission) =>
      done(await sendTo(permission.owner, encode('set', [permission]))),
    revoke: async (permission: SpendPermission) =>
      done(await sendTo(permission.owner, encodeRevoke(permission))),
    spend: async (permission: SpendPermission, choice: SpendChoice = {}) =>
      done(await sendTo(choice.from ?? permission.spender, encodeSpendOf(permission, choice))),
    /** Returns the name and arguments of the error with which a call would be refused. Sends no transaction. */
    refusalOf: async (from: Address, callData: Hex): Promise<readonly unknown[]> => {
      try {
        await reader(chain).call({ account: from, to, data: callData, gas: 5_000_000n })
      } catch (error) {
        return tellRefusal(error)
      }
      throw new Error('the call would not be refused')
    },
    available: async (permission: SpendPermission) => {
      const { owner, spender, token: at, scope } = keyOf(permission)
      return (await view('available', [owner, spender, at, scope])) as bigint
    },
    statusOf: async (permission: SpendPermission) => (await view('statusOf', [idOf(permission)])) as Status,
    totalLeft: async (owner: Address, at: Address = chain.usdc) =>
      (await view('totalLeft', [owner, at])) as bigint,
    balanceOf: async (account: Address, at: Address = chain.usdc) =>
      await tokenView('balanceOf', [account], at),
    allowanceOf: async (owner: Address, at: Address = chain.usdc) =>
      await tokenView('allowance', [owner, to], at),
    approve: async (owner: Address, amount: bigint, at: Address = chain.usdc) =>
      await token(owner, 'approve', [to, amount], at),
    /** The time of the newest block, in Unix seconds. */
    now: async () => (await reader(chain).getBlock()).timestamp,
    /** Makes a block of this time. */
    jumpTo: async (seconds: bigint) => {
      await callAnvil(chain.rpcUrl, 'evm_setNextBlockTimestamp', [numberToHex(seconds)])
      await callAnvil(chain.rpcUrl, 'evm_mine', [])
    },
    snapshot: async () => await callAnvilForText(chain.rpcUrl, 'evm_snapshot', []),
    restore: async (untouched: string) => await callAnvil(chain.rpcUrl, 'evm_revert', [untouched]),
  }
}

export type PermissionStage = ReturnType<typeof permissionStage>

export interface Status {
  readonly limit: bigint
  readonly cap: bigint
  readonly spent: bigint
  readonly expiry: bigint
  readonly nonce: bigint
  readonly isListed: boolean
}

export function encodeRevoke(permission: SpendPermission): Hex {
  const { spender, token, scope } = keyOf(permission)
  return encode('revoke', [spender, token, scope])
}

/** Decodes the contract's events in a receipt, in order. */
export function tellPermissionEvents({ logs }: TransactionReceipt) {
  return parseEventLogs({ abi: spendPermissionsAbi, logs }).map(({ eventName, args }) => ({
    eventName,
    ...args,
  }))
}

/** Returns the revert data of a failed call. */
export function revertData(error: unknown): Hex {
  const cause = error instanceof BaseError ? error.walk(hasRevertBytes) : undefined
  if (!hasRevertBytes(cause)) throw error
  return cause.data
}

function tellRefusal(error: unknown): readonly unknown[] {
  const data = revertData(error)
  if (data === '0x') return []
  const abi: Abi = [...spendPermissionsAbi, ...localUsdcAbi]
  const { errorName, args = [] } = decodeErrorResult({ abi, data })
  return [errorName, ...args]
}

function hasRevertBytes(error: unknown): error is { readonly data: Hex } {
  return typeof error === 'object' && error !== null && 'data' in error && typeof error.data === 'string'
}

function done(receipt: TransactionReceipt): TransactionReceipt {
  if (receipt.status !== 'success') throw new Error('the transaction failed')
  return receipt
}
