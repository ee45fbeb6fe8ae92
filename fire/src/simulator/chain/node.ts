import { batchSettlerDeployedBytecode } from '@farebox/contracts/batch-settler'
import { fromHex, toHex } from '@farebox/payments/src/crypto/bytes'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { ChainLog } from '@farebox/payments/chain/chain-receipt'
import { JsonRpcError } from '@farebox/payments/chain/json-rpc'
import type { Network } from '@farebox/payments/networks'
import {
  encodePaid,
  encodeResults,
  encodeRevert,
  MULTICALL3,
  readBatch,
  readSettle,
  readTokenCall,
  SETTLER,
  type ContractCall,
} from './calls.ts'
import { readSpend, refusalData, SPEND_GAS } from './spends.ts'
import { readSpendQuestion } from './spend-questions.ts'
import { readRawTransaction } from './read-raw-transaction.ts'
import { nonceKey, uintWord, type Token, type TokenState } from './token.ts'
import type { Block, ChainTransaction, MinedTransaction, VirtualChain } from './virtual-chain.ts'

/** A node, answering JSON-RPC from what it knows of the chain. */
export interface ChainNode {
  /**
   * Answers one call, from the block so many before the newest, with the times of blocks so much later. Throws a {@link JsonRpcError} for what the node
   * refuses; undefined is no answer of the chain, `null` is.
   */
  answer(method: string, parameters: readonly unknown[], behind: number, aheadSeconds?: number): unknown
}

/** What a node is made of. */
export interface NodeParts {
  readonly chain: VirtualChain
  readonly token: Token
  readonly network: Network
  readonly crypto: EvmCrypto
  /** EIP-712, of the token. */
  readonly domainSeparator: Uint8Array
  readonly nowMs: () => number
  /** Wei. */
  readonly baseFee: () => bigint
  /** How long a transaction that is sent to it will wait for a block, and whether it is forgotten at once. */
  readonly deliveryOf: () => { readonly delayMs: number; readonly isForgotten: boolean }
  /** Told of each transaction that a node has taken from a relayer. */
  readonly onTaken: (transaction: ChainTransaction) => void
}

const METHOD_NOT_FOUND = -32_601
const BALANCE_OF = '0x70a08231'
const AUTHORIZATION_STATE = '0xe94a0102'
const DOMAIN_SEPARATOR = '0x3644e515'
const GET_BLOCK_NUMBER = '0x42cbb15c'
const GET_BLOCK_TIMESTAMP = '0x0f28c97d'
const ONE_ETHER = 10n ** 18n

/** Of the facilitator's programs that ask for code sizes (`code-sizes.ts`): their instructions, in characters. */
const PROGRAM_CHARACTERS = 62
const PROGRAM_WITH_CALL = { characters: 174, startsWith: '0x62', lengthOfWordsAt: 40 }

interface View {
  readonly number: number
  readonly seconds: number
  readonly state: TokenState
}

/** Makes a node. */
export function createNode(parts: NodeParts): ChainNode {
  const { chain, token, network, crypto } = parts
  const domainSeparator = toHex(parts.domainSeparator)
  const hash = (words: string): string => toHex(crypto.keccak256(fromHex(`0x${words}`)))

  const viewOf = (tag: unknown, behind: number, aheadSeconds: number): View => {
    const head = chain.head(behind)
    if (tag !== 'pending')
      return aheadSeconds === 0 ? head : { ...head, seconds: head.seconds + aheadSeconds }
    const seconds = Math.floor(parts.nowMs() / 1_000) + aheadSeconds
    return { ...head, number: head.number + 1, seconds }
  }

  /** One call of a contract, tried on a state that those before it in a batch have left. */
  const tryCall = (
    view: { -readonly [key in keyof View]: View[key] },
    { to, data }: ContractCall,
  ): { readonly succeeded: boolean; readonly data: string } => {
    const value = (result: bigint | number): { succeeded: boolean; data: string } => ({
      succeeded: true,
      data: `0x${uintWord(BigInt(result))}`,
    })
    if (to === MULTICALL3 && data === GET_BLOCK_NUMBER) return value(view.number)
    if (to === MULTICALL3 && data === GET_BLOCK_TIMESTAMP) return value(view.seconds)
    if (to !== token.address) return { succeeded: true, data: '0x' }
    if (data === DOMAIN_SEPARATOR) return { succeeded: true, data: domainSeparator }
    if (data.startsWith(BALANCE_OF)) return value(view.state.balances.get(`0x${data.slice(34, 74)}`) ?? 0n)
    if (data.startsWith(AUTHORIZATION_STATE)) {
      const key = nonceKey(`0x${data.slice(34, 74)}`, `0x${data.slice(74, 138)}`)
      return value(view.state.spent.has(key) ? 1 : 0)
    }
    const change = readTokenCall(data)
    if (change === undefined) throw new Error(`the virtual token does not know ${data.slice(0, 10)}`)
    const outcome = token.call(view.state, change, view.seconds)
    if (!outcome.ok) return { succeeded: false, data: encodeRevert(outcome.revert) }
    view.state = outcome.state
    return { succeeded: true, data: '0x' }
  }

  const ethCall = (call: { readonly to?: string; readonly data: string }, view: View): string => {
    // A contract creation that is only tried: the question for code sizes. Nobody has any here.
    if (call.to === undefined) {
      const { characters, startsWith, lengthOfWordsAt } = PROGRAM_WITH_CALL
      if (!call.data.startsWith(startsWith)) return `0x${'0'.repeat(call.data.length - PROGRAM_CHARACTERS)}`
      const words = 2 * Number(`0x${call.data.slice(lengthOfWordsAt, lengthOfWordsAt + 6)}`)
      const behind = { to: MULTICALL3, data: `0x${call.data.slice(characters + words)}` }
      return `0x${'0'.repeat(words)}${ethCall(behind, view).slice(2)}`
    }
    const target = { to: call.to.toLowerCase(), data: call.data }
    const tried = { ...view }
    const batch = readBatch(target)
    if (batch !== undefined) return encodeResults(batch.map(one => tryCall(tried, one)))
    const settle = readSettle(target)
    if (settle !== undefined) return encodePaid(settle.map(one => tryCall(tried, one)))
    const { succeeded, data } = tryCall(tried, target)
    if (!succeeded) throw new JsonRpcError('eth_call', 3, 'execution reverted', data)
    return data
  }

  /** Only spends are estimated: by what they would come to behind all that waits for a block. */
  const estimate = (
    call: { readonly from: string; readonly to: string; readonly data: string },
    state: TokenState,
  ): string => {
    const target = { to: call.to.toLowerCase(), data: call.data }
    const spend = readSpend(target, call.from.toLowerCase(), hash)
    if (spend === undefined)
      throw new JsonRpcError('eth_estimateGas', METHOD_NOT_FOUND, 'the method does not exist', undefined)
    const outcome = token.call(state, spend, Math.floor(parts.nowMs() / 1_000))
    if (outcome.ok) return quantity(SPEND_GAS)
    const data = refusalData(outcome.revert) ?? encodeRevert(outcome.revert)
    throw new JsonRpcError('eth_estimateGas', 3, 'execution reverted', data)
  }

  const send = (method: string, raw: string): ChainTransaction => {
    const transaction = readRawTransaction(crypto, raw)
    const { delayMs, isForgotten } = parts.deliveryOf()
    const refused = chain.submit(transaction, delayMs)
    if (refused !== undefined) throw new JsonRpcError(method, -32_000, refused, undefined)
    parts.onTaken(transaction)
    if (isForgotten) chain.forget(transaction.hash)
    return transaction
  }

  return {
    answer(method, parameters, behind, aheadSeconds = 0) {
      const [first, second] = parameters
      switch (method) {
        case 'eth_chainId':
          return quantity(network.chainId)
        case 'eth_getBlockByNumber': {
          const head = chain.head(behind)
          const block = first === 'latest' ? head : chain.block(Number(first))
          return block === undefined || block.number > head.number
            ? null
            : blockHeader(block, parts.baseFee(), aheadSeconds)
        }
        case 'eth_blockNumber':
          return quantity(chain.head(behind).number)
        case 'eth_call': {
          const call = first as { to?: string; data: string }
          const view = viewOf(second, behind, aheadSeconds)
          const state = second === 'pending' && behind === 0 ? () => chain.pending().state : () => view.state
          const asked = readSpendQuestion(call, state, hash)
          return asked === undefined ? ethCall(call, view) : `0x${uintWord(asked)}`
        }
        case 'eth_getCode':
          return String(first).toLowerCase() === SETTLER ? batchSettlerDeployedBytecode : '0x'
        case 'eth_getLogs':
          return findLogs(chain, first as LogFilter, chain.head(behind).number)
        case 'eth_getTransactionReceipt': {
          const found = chain.find(String(first))
          return found === undefined || found.block.number > chain.head(behind).number
            ? null
            : receiptOf(found.mined, found.block)
        }
        case 'eth_getTransactionByHash': {
          const found = chain.find(String(first))
          return found === undefined || found.block.number > chain.head(behind).number
            ? null
            : { from: found.mined.transaction.sender }
        }
        case 'eth_getTransactionCount':
          return quantity(
            (second === 'pending' && behind === 0 ? chain.pending() : chain.head(behind)).counts.get(
              String(first),
            ) ?? 0,
          )
        case 'eth_estimateGas':
          return estimate(
            first as { from: string; to: string; data: string },
            behind === 0 ? chain.pending().state : chain.head(behind).state,
          )
        case 'eth_getBalance':
          return `0x${ONE_ETHER.toString(16)}`
        case 'eth_maxPriorityFeePerGas':
          return '0xf4240'
        case 'eth_sendRawTransaction':
          return send(method, String(first)).hash
        default:
          throw new JsonRpcError(method, METHOD_NOT_FOUND, 'the method does not exist', undefined)
      }
    },
  }
}

interface LogFilter {
  readonly fromBlock: string
  readonly toBlock: string
  /** For each place one or several, any of which will do. */
  readonly topics: readonly (string | readonly string[])[]
}

function findLogs(chain: VirtualChain, filter: LogFilter, newest: number): readonly object[] {
  const from = Number(filter.fromBlock)
  const to = filter.toBlock === 'latest' ? newest : Math.min(newest, Number(filter.toBlock))
  return chain
    .busyBlocks()
    .filter(block => block.number >= from && block.number <= to)
    .flatMap(block => block.mined.flatMap(mined => receiptOf(mined, block).logs))
    .filter(({ topics }) => filter.topics.every((wanted, at) => [wanted].flat().includes(topics[at] ?? '')))
}

/** As a node shows it. */
export function receiptOf(
  { transaction, succeeded, logs }: MinedTransaction,
  block: Block,
): { readonly status: string; readonly logs: readonly ChainLog[] } {
  const place = {
    transactionHash: transaction.hash,
    blockNumber: quantity(block.number),
    blockHash: block.hash,
  }
  return {
    ...place,
    status: succeeded ? '0x1' : '0x0',
    logs: logs.map(log => ({ ...log, ...place })),
  }
}

function blockHeader({ number, seconds, hash, mined }: Block, baseFee: bigint, aheadSeconds: number): object {
  return {
    number: quantity(number),
    timestamp: quantity(seconds + aheadSeconds),
    hash,
    baseFeePerGas: `0x${baseFee.toString(16)}`,
    transactions: mined.map(({ transaction }) => transaction.hash),
  }
}

function quantity(value: number): string {
  return `0x${value.toString(16)}`
}
