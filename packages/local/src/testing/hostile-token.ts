import { hostileTokenAbi, hostileTokenBytecode } from '@farebox/contracts/src/testing/hostile-token'
import { encodeFunctionData, parseEventLogs } from 'viem'
import type { Abi, Address, Hex, TransactionReceipt } from 'viem'
import type { LocalChain } from '../chain/start-chain.ts'
import { TEST_KEYS } from '../chain/test-keys.ts'
import { deploy, send } from './registry-calls.ts'

/** How a {@link HostileToken} executes a transfer. */
export interface TokenBehaviour {
  readonly returnsFalse?: boolean
  readonly returnsNothing?: boolean
  /** The percentage of each transfer that does not arrive. */
  readonly feePercent?: bigint
}

/** A token that violates ERC-20 and may call another contract during a transfer. */
export interface HostileToken {
  readonly address: Address
  readonly behave: (behaviour: TokenBehaviour) => Promise<void>
  readonly mint: (account: Address, amount: bigint) => Promise<void>
  /** Sets the call that the token makes before each transfer. */
  readonly callBack: (target: Address, callData: Hex) => Promise<void>
  /** The data of {@link HostileToken.callBack}. */
  readonly encodeCallBack: (target: Address, callData: Hex) => Hex
  /** The data of a call with which any account makes the token call another contract. */
  readonly encodeRun: (target: Address, callData: Hex) => Hex
}

export async function createHostileToken(
  chain: LocalChain,
  behaviour: TokenBehaviour = {},
): Promise<HostileToken> {
  const address = await deploy(chain, hostileTokenBytecode)
  const tell = async (functionName: string, args: readonly unknown[]) => {
    const receipt = await send(chain, {
      from: TEST_KEYS.faucet.address,
      to: address,
      callData: encodeToken(functionName, args),
    })
    if (receipt.status !== 'success') throw new Error(`${functionName}: the token was not told`)
  }
  const behave = async ({
    returnsFalse = false,
    returnsNothing = false,
    feePercent = 0n,
  }: TokenBehaviour): Promise<void> => await tell('behave', [returnsFalse, returnsNothing, feePercent])
  await behave(behaviour)
  return {
    address,
    behave,
    mint: async (account, amount) => await tell('mint', [account, amount]),
    callBack: async (target, callData) => await tell('callBack', [target, callData]),
    encodeCallBack: (target, callData) => encodeToken('callBack', [target, callData]),
    encodeRun: (target, callData) => encodeToken('run', [target, callData]),
  }
}

/** Returns the results of the calls that tokens made during a transfer: 'done', or the revert data. */
export function tellTokenCallbacks({ logs }: TransactionReceipt): readonly (Hex | 'done')[] {
  return parseEventLogs({ abi: hostileTokenAbi, logs, eventName: 'CalledBack' }).map(({ args }) =>
    args.success ? 'done' : args.answer,
  )
}

function encodeToken(functionName: string, args: readonly unknown[]): Hex {
  const abi: Abi = hostileTokenAbi
  return encodeFunctionData({ abi, functionName, args })
}
