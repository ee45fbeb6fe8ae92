import { batchSettlerDeployedBytecode } from '@farebox/contracts/batch-settler'
import { uintWord } from '@farebox/contracts/src/abi-words'
import {
  DOMAIN_SEPARATOR,
  GET_BLOCK_NUMBER,
  GET_BLOCK_TIMESTAMP,
  type CallResult,
  type BatchedCall,
} from '@farebox/facilitator/src/chain/calldata'
import type { ChainLog } from '@farebox/payments/chain/chain-receipt'
import { JsonRpcError } from '@farebox/payments/chain/json-rpc'
import { quantity } from '@farebox/payments/src/chain/rpc-words'
import { toHex } from '@farebox/payments/src/crypto/bytes'
import type { Stage } from '../history/stage.ts'
import type { Random } from '../seeded-random.ts'
import type { Wires } from '../wires/exchange.ts'
import {
  encodePaid,
  encodeResults,
  encodeRevert,
  MULTICALL3,
  readBatch,
  readCodeQuestion,
  readRawTransaction,
  readSettle,
  readTokenCall,
  SETTLER,
} from './calls.ts'
import { answerOfSpends, nonceKey, readSpend, readWords, type Token, type TokenState } from './token.ts'
import type { Block, ChainTransaction, MinedTransaction, VirtualChain } from './virtual-chain.ts'

/** One call of a node. */
export interface NodeRequest {
  readonly method: string
  readonly parameters: readonly unknown[]
  /** Answered from the block this many before the newest; default: the current lag of the nodes. */
  readonly behind?: number
  /** Answered with block times later by this much, or earlier if negative. */
  readonly aheadSeconds?: number
}

/** The state that nodes show, and their position. */
export interface NodeParts {
  readonly wires: Wires
  readonly random: Random
  readonly stage: Stage
  readonly chain: VirtualChain
  readonly token: Token
}

/** The handling of transactions and the gas price at a node. */
interface NodeWays {
  readonly baseFee: () => bigint
  /** Accepts a transaction; returns the reason if it does not. */
  readonly take: (transaction: ChainTransaction) => string | undefined
}

const METHOD_NOT_FOUND = -32_601
const BALANCE_OF = '0x70a08231'
const AUTHORIZATION_STATE = '0xe94a0102'
const ONE_ETHER = 10n ** 18n
/** The gas estimate of a spend. */
const SPEND_GAS = 90_000n

interface View {
  readonly number: number
  readonly seconds: number
  readonly state: TokenState
}

/** The parameters of a call; without `to` it simulates a contract creation. */
interface AskedCall {
  readonly from?: string
  readonly to?: string
  readonly data: string
}

/** Creates a node: a handler of JSON-RPC calls. It throws a {@link JsonRpcError} for a refusal. */
export function createNode(
  { wires, stage, chain, token }: NodeParts,
  { baseFee, take }: NodeWays,
): (request: NodeRequest) => unknown {
  const { network, crypto, hasher } = stage
  const tryCall = createTryCall(token, toHex(hasher.domainSeparator))
  const nowSeconds = (): number => Math.floor(wires.time.nowMs() / 1_000)

  const viewOf = (tag: unknown, behind: number, aheadSeconds: number): View => {
    const { number, seconds, state } = chain.head(behind)
    const isPending = tag === 'pending'
    return {
      number: isPending ? number + 1 : number,
      seconds: (isPending ? nowSeconds() : seconds) + aheadSeconds,
      state,
    }
  }

  /** Only spends are estimated: by their result after all pending transactions. */
  const estimate = ({ from = '', to = '', data }: AskedCall, state: TokenState): string => {
    const spend = readSpend(crypto, { to: to.toLowerCase(), data }, from.toLowerCase())
    if (spend === undefined)
      throw new JsonRpcError('eth_estimateGas', METHOD_NOT_FOUND, 'the method does not exist', undefined)
    const outcome = token.call(state, spend, nowSeconds())
    if (outcome.ok) return quantity(SPEND_GAS)
    throw new JsonRpcError('eth_estimateGas', 3, 'execution reverted', encodeRevert(outcome.revert))
  }

  const ethCall = ({ to, data }: AskedCall, view: View, stateForSpends: () => TokenState): string => {
    if (to === undefined) {
      const { words, behind } = readCodeQuestion(data)
      return `0x${words}${behind === undefined ? '' : ethCall(behind, view, stateForSpends).slice(2)}`
    }
    const call = { to: to.toLowerCase(), data }
    const asked = answerOfSpends(crypto, call, stateForSpends)
    if (asked !== undefined) return `0x${uintWord(asked)}`
    const tried = { ...view }
    const batch = readBatch(call)
    if (batch !== undefined) return encodeResults(batch.map(one => tryCall(tried, one)))
    const settle = readSettle(call)
    if (settle !== undefined) return encodePaid(settle.map(one => tryCall(tried, one)))
    const result = tryCall(tried, call)
    if (!result.succeeded) throw new JsonRpcError('eth_call', 3, 'execution reverted', result.data)
    return result.data
  }

  return ({ method, parameters, behind = 0, aheadSeconds = 0 }) => {
    const [first, second] = parameters
    const viewed = () => (second === 'pending' && behind === 0 ? chain.pending() : chain.head(behind))
    switch (method) {
      case 'eth_chainId':
        return quantity(BigInt(network.chainId))
      case 'eth_getBlockByNumber': {
        const head = chain.head(behind)
        const block = first === 'latest' ? head : chain.block(Number(first))
        return block === undefined || block.number > head.number
          ? null
          : blockHeader(block, baseFee(), aheadSeconds)
      }
      case 'eth_blockNumber':
        return quantity(BigInt(chain.head(behind).number))
      case 'eth_call':
        return ethCall(first as AskedCall, viewOf(second, behind, aheadSeconds), () => viewed().state)
      case 'eth_getCode':
        return String(first).toLowerCase() === SETTLER ? batchSettlerDeployedBytecode : '0x'
      case 'eth_getLogs':
        return findLogs(chain, first as LogFilter, chain.head(behind).number)
      case 'eth_getTransactionReceipt':
      case 'eth_getTransactionByHash': {
        const found = chain.find(String(first))
        if (found === undefined || found.block.number > chain.head(behind).number) return null
        return method === 'eth_getTransactionByHash'
          ? { from: found.mined.transaction.sender }
          : receiptOf(found.mined, found.block)
      }
      case 'eth_getTransactionCount':
        return quantity(BigInt(viewed().counts.get(String(first)) ?? 0))
      case 'eth_estimateGas':
        return estimate(first as AskedCall, (behind === 0 ? chain.pending() : chain.head(behind)).state)
      case 'eth_getBalance':
        return quantity(ONE_ETHER)
      case 'eth_maxPriorityFeePerGas':
        return '0xf4240'
      case 'eth_sendRawTransaction': {
        const transaction = readRawTransaction(crypto, String(first))
        const refused = take(transaction)
        if (refused !== undefined) throw new JsonRpcError(method, -32_000, refused, undefined)
        return transaction.hash
      }
      default:
        throw new JsonRpcError(method, METHOD_NOT_FOUND, 'the method does not exist', undefined)
    }
  }
}

/**
 * Creates a simulator of one call of the token or Multicall3, without an EVM, on the state that earlier calls of a
 * batch have left.
 */
function createTryCall(token: Token, domainSeparator: string) {
  const value = (result: bigint | number): CallResult => ({
    succeeded: true,
    data: `0x${uintWord(BigInt(result))}`,
  })
  return (view: { -readonly [key in keyof View]: View[key] }, { to, data }: BatchedCall): CallResult => {
    if (to === MULTICALL3 && data === GET_BLOCK_NUMBER) return value(view.number)
    if (to === MULTICALL3 && data === GET_BLOCK_TIMESTAMP) return value(view.seconds)
    if (to !== token.address) return { succeeded: true, data: '0x' }
    if (data === DOMAIN_SEPARATOR) return { succeeded: true, data: domainSeparator }
    const { address, bytes32 } = readWords(data)
    if (data.startsWith(BALANCE_OF)) return value(view.state.balances.get(address(0)) ?? 0n)
    if (data.startsWith(AUTHORIZATION_STATE))
      return value(view.state.spent.has(nonceKey(address(0), bytes32(1))) ? 1 : 0)
    const change = readTokenCall(data)
    if (change === undefined) throw new Error(`the virtual token does not know ${data.slice(0, 10)}`)
    const outcome = token.call(view.state, change, view.seconds)
    if (!outcome.ok) return { succeeded: false, data: encodeRevert(outcome.revert) }
    view.state = outcome.state
    return { succeeded: true, data: '0x' }
  }
}

/** The filter of `eth_getLogs`. */
interface LogFilter {
  readonly fromBlock: string
  readonly toBlock: string
  /** For each position one topic or several alternatives. */
  readonly topics: readonly (string | readonly string[])[]
}

/** The events of the blocks that a filter names, up to the newest that the node has. */
function findLogs(chain: VirtualChain, filter: LogFilter, newest: number): readonly object[] {
  const from = Number(filter.fromBlock)
  const to = filter.toBlock === 'latest' ? newest : Math.min(newest, Number(filter.toBlock))
  return chain
    .busyBlocks()
    .filter(block => block.number >= from && block.number <= to)
    .flatMap(block => block.mined.flatMap(mined => receiptOf(mined, block).logs))
    .filter(({ topics }) => filter.topics.every((wanted, at) => [wanted].flat().includes(topics[at] ?? '')))
}

export function receiptOf(
  { transaction, succeeded, logs }: MinedTransaction,
  block: Block,
): { readonly status: string; readonly logs: readonly ChainLog[] } {
  const place = {
    transactionHash: transaction.hash,
    blockNumber: quantity(BigInt(block.number)),
    blockHash: block.hash,
  }
  return {
    ...place,
    status: succeeded ? '0x1' : '0x0',
    logs: logs.map(log => ({ ...log, ...place })),
  }
}

/** A block, with the hashes of its transactions; its time is shifted by this many seconds. */
function blockHeader({ number, seconds, hash, mined }: Block, baseFee: bigint, aheadSeconds: number): object {
  return {
    number: quantity(BigInt(number)),
    timestamp: quantity(BigInt(seconds + aheadSeconds)),
    hash,
    baseFeePerGas: quantity(baseFee),
    transactions: mined.map(({ transaction }) => transaction.hash),
  }
}
