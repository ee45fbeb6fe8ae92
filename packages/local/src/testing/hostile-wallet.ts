import { STAKE_WEI } from '@farebox/contracts/internal/calls/registry-calls'
import { agentRegistryAbi } from '@farebox/contracts/agent-registry'
import { hostileWalletAbi, hostileWalletBytecode } from '@farebox/contracts/src/testing/hostile-wallet'
import {
  decodeErrorResult,
  encodeFunctionData,
  parseEther,
  parseEventLogs,
  toFunctionSelector,
  toHex,
} from 'viem'
import type { Address, Hex, TransactionReceipt } from 'viem'
import { callAnvil } from '../chain/anvil-rpc.ts'
import type { LocalChain } from '../chain/start-chain.ts'
import { TEST_KEYS } from '../chain/test-keys.ts'
import { deploy, send } from './registry-calls.ts'

const REGISTER = toFunctionSelector('register(string)')

/** A contract wallet that makes any call, and can refuse ether or call back when it receives some. */
export interface HostileWallet {
  readonly address: Address
  /**
   * Makes the wallet call the registry, with all calls in one transaction; the receipt says whether the transaction failed.
   */
  readonly run: (...calls: readonly Hex[]) => Promise<TransactionReceipt>
  /** The transaction of `run`, for tests that expect it to be refused. */
  readonly encodeRun: (...calls: readonly Hex[]) => { from: Address; to: Address; callData: Hex }
  /** Sets the calls that the wallet makes whenever it receives ether or a token. */
  readonly callBackWith: (...calls: readonly Hex[]) => Promise<void>
  readonly refuseEther: (refuses: boolean) => Promise<void>
}

/** Deploys such a wallet with one ether. Its calls of `register` and its calls without data carry the stake. */
export async function createHostileWallet(
  chain: Pick<LocalChain, 'rpcUrl' | 'agentRegistry'>,
): Promise<HostileWallet> {
  const from = TEST_KEYS.stranger.address
  const address = await deploy(chain, hostileWalletBytecode)
  await callAnvil(chain.rpcUrl, 'anvil_setBalance', [address, toHex(parseEther('1'))])
  const toCalls = (calls: readonly Hex[]) =>
    calls.map(callData => ({ target: chain.agentRegistry, value: valueOf(callData), callData }))
  const tell = async (callData: Hex) => {
    const { status } = await send(chain, { from, to: address, callData })
    if (status !== 'success') throw new Error('the hostile wallet was not told')
  }
  const encodeRun = (...calls: readonly Hex[]) => {
    const args = [toCalls(calls)] as const
    const callData = encodeFunctionData({ abi: hostileWalletAbi, functionName: 'run', args })
    return { from, to: address, callData }
  }
  return {
    address,
    encodeRun,
    run: async (...calls) => await send(chain, encodeRun(...calls)),
    callBackWith: async (...calls) => {
      const args = [toCalls(calls)] as const
      await tell(encodeFunctionData({ abi: hostileWalletAbi, functionName: 'callBack', args }))
    },
    refuseEther: async refuses =>
      await tell(encodeFunctionData({ abi: hostileWalletAbi, functionName: 'refuseEther', args: [refuses] })),
  }
}

/** Returns the results of the calls that a wallet made while it received ether or a token: 'done', or the error's name. */
export function tellCallbacks(receipt: TransactionReceipt): readonly string[] {
  const logs = parseEventLogs({ abi: hostileWalletAbi, logs: receipt.logs, eventName: 'CalledBack' })
  return logs.map(({ args: { success, answer } }) =>
    success ? 'done' : decodeErrorResult({ abi: agentRegistryAbi, data: answer }).errorName,
  )
}

function valueOf(callData: Hex): bigint {
  return callData === '0x' || callData.startsWith(REGISTER) ? STAKE_WEI : 0n
}
