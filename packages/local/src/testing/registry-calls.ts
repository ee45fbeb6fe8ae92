import { agentRegistryAbi } from '@farebox/contracts/agent-registry'
import { STAKE_WEI } from '@farebox/contracts/internal/calls/registry-calls'
import {
  BaseError,
  createPublicClient,
  decodeErrorResult,
  encodeFunctionData,
  formatTransactionReceipt,
  getAddress,
  http,
  parseEventLogs,
  toHex,
} from 'viem'
import type { Abi, Address, Hex, RpcTransactionReceipt, TransactionReceipt } from 'viem'
import { sendTestTransaction, type UnlockedTransaction } from '../chain/send-transaction.ts'
import type { LocalChain } from '../chain/start-chain.ts'
import { TEST_KEYS } from '../chain/test-keys.ts'

/** More than any call in these tests needs, so that a failing call is in a block as well. */
const GAS = 5_000_000n

type Chain = Pick<LocalChain, 'rpcUrl' | 'agentRegistry'>

export interface Sent {
  readonly from: Address
  readonly to: Address
  readonly valueWei?: bigint
  readonly callData?: Hex
}

/** Encodes a call of the registry. */
export function encodeCall(functionName: string, args: readonly unknown[]): Hex {
  const abi: Abi = agentRegistryAbi
  return encodeFunctionData({ abi, functionName, args })
}

/** Sends a transaction from one of anvil's own accounts; resolves when a block contains it, whether or not it failed. */
export async function send(chain: Chain, sent: Sent): Promise<TransactionReceipt> {
  const { from, to, valueWei = 0n, callData = '0x' } = sent
  const transaction = { from, to, value: toHex(valueWei), data: callData, gas: toHex(GAS) }
  return await sendUnlocked(chain, transaction)
}

/** Makes an account call the registry. Throws when the call fails. */
export async function call(
  chain: Chain,
  from: Address,
  functionName: string,
  args: readonly unknown[],
): Promise<TransactionReceipt> {
  const valueWei = functionName === 'register' ? STAKE_WEI : 0n
  const callData = encodeCall(functionName, args)
  const receipt = await send(chain, { from, to: chain.agentRegistry, valueWei, callData })
  if (receipt.status !== 'success') throw new Error(`${functionName}: failed`)
  return receipt
}

/** Registers an agent for an account with the required stake, and resolves to the agent's id. */
export async function register(chain: Chain, from: Address, endpoint: string): Promise<bigint> {
  const receipt = await call(chain, from, 'register', [endpoint])
  const [event] = parseEventLogs({ abi: agentRegistryAbi, logs: receipt.logs, eventName: 'AgentRegistered' })
  if (event === undefined) throw new Error('register: no AgentRegistered')
  return event.args.agentId
}

/** Decodes the registry's events in a receipt, in order. */
export function tellEvents(receipt: TransactionReceipt) {
  return parseEventLogs({ abi: agentRegistryAbi, logs: receipt.logs }).map(({ eventName, args }) => ({
    eventName,
    ...args,
  }))
}

/**
 * Returns the name and arguments of the error with which a call of the registry would fail, if it would. Sends no
 * transaction.
 */
export async function refusalOf(
  chain: Chain,
  sent: Omit<Sent, 'to'> & Partial<Sent>,
): Promise<readonly unknown[]> {
  const { from: account, to = chain.agentRegistry, valueWei: value = 0n, callData: data = '0x' } = sent
  try {
    await reader(chain).call({ account, to, value, data, gas: GAS })
  } catch (error) {
    return tellRefusal(error)
  }
  throw new Error('the call would not be refused')
}

/** Reads a view of the registry. */
export async function view(chain: Chain, functionName: string, args: readonly unknown[] = []) {
  const abi: Abi = agentRegistryAbi
  return await reader(chain).readContract({ address: chain.agentRegistry, abi, functionName, args })
}

export async function balanceOf(chain: Chain, address: Address): Promise<bigint> {
  return await reader(chain).getBalance({ address })
}

export function reader(chain: Pick<LocalChain, 'rpcUrl'>) {
  return createPublicClient({ transport: http(chain.rpcUrl), pollingInterval: 50 })
}

/** Creates a contract through a transaction, as on a public chain. */
export async function deploy(chain: Chain, bytecode: Hex): Promise<Address> {
  const transaction = { from: TEST_KEYS.deployer.address, data: bytecode, gas: toHex(GAS) }
  const { contractAddress, status } = await sendUnlocked(chain, transaction)
  if (status !== 'success' || !contractAddress) throw new Error('deploy: failed')
  return getAddress(contractAddress)
}

async function sendUnlocked(chain: Chain, transaction: UnlockedTransaction): Promise<TransactionReceipt> {
  return formatTransactionReceipt(
    (await sendTestTransaction(chain.rpcUrl, transaction)) as RpcTransactionReceipt,
  )
}

function tellRefusal(error: unknown): readonly unknown[] {
  const cause = error instanceof BaseError ? error.walk(hasRevertBytes) : undefined
  if (!hasRevertBytes(cause)) throw error
  if (cause.data === '0x') return []
  // The inferred type of this ABI says that an error without arguments has an empty list of arguments.
  const abi: Abi = agentRegistryAbi
  const { errorName, args = [] } = decodeErrorResult({ abi, data: cause.data })
  return [errorName, ...args]
}

function hasRevertBytes(error: unknown): error is { readonly data: Hex } {
  return typeof error === 'object' && error !== null && 'data' in error && typeof error.data === 'string'
}
