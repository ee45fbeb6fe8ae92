import { batchSettlerDeployedBytecode } from '@farebox/contracts/batch-settler'
import { uintWord } from '@farebox/contracts/src/abi-words'
import { fromHex, toHex } from '@farebox/payments/src/crypto/bytes'
import type { ContractCall } from '@farebox/facilitator/src/chain/calldata'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { JsonRpcError } from '@farebox/payments/chain/json-rpc'
import type { Network } from '@farebox/payments/networks'
import { quantity } from '@farebox/payments/src/chain/rpc-words'
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
import { blockHeader, findLogs, receiptOf, type LogFilter } from './shown-blocks.ts'
import { readSpend, readSpendQuestion, refusalData, SPEND_GAS } from './spends.ts'
import { nonceKey, type Token, type TokenState } from './token.ts'
import type { ChainTransaction, VirtualChain } from './virtual-chain.ts'

export interface NodeParts {
  readonly chain: VirtualChain
  readonly token: Token
  readonly network: Network
  readonly crypto: EvmCrypto
  /** EIP-712, of the token. */
  readonly domainSeparator: Uint8Array
  readonly nowMs: () => number
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

interface View {
  readonly number: number
  readonly seconds: number
  readonly state: TokenState
}

/**
 * Makes a node: what answers JSON-RPC calls from the block so many before the newest, with the times of blocks so much
 * later. It throws a {@link JsonRpcError} for what it refuses.
 */
export function createNode(
  parts: NodeParts,
): (method: string, parameters: readonly unknown[], behind: number, aheadSeconds?: number) => unknown {
  const { chain, token, network, crypto } = parts
  const ethCall = createEthCall(token, toHex(parts.domainSeparator))
  const hash = (words: string): string => toHex(crypto.keccak256(fromHex(`0x${words}`)))

  const viewOf = (tag: unknown, behind: number, aheadSeconds: number): View => {
    const head = chain.head(behind)
    if (tag !== 'pending')
      return aheadSeconds === 0 ? head : { ...head, seconds: head.seconds + aheadSeconds }
    const seconds = Math.floor(parts.nowMs() / 1_000) + aheadSeconds
    return { ...head, number: head.number + 1, seconds }
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

  return (method, parameters, behind, aheadSeconds = 0) => {
    const [first, second] = parameters
    switch (method) {
      case 'eth_chainId':
        return quantity(BigInt(network.chainId))
      case 'eth_getBlockByNumber': {
        const head = chain.head(behind)
        const block = first === 'latest' ? head : chain.block(Number(first))
        return block === undefined || block.number > head.number
          ? null
          : blockHeader(block, parts.baseFee(), aheadSeconds)
      }
      case 'eth_blockNumber':
        return quantity(BigInt(chain.head(behind).number))
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
      case 'eth_getTransactionReceipt':
      case 'eth_getTransactionByHash': {
        const found = chain.find(String(first))
        if (found === undefined || found.block.number > chain.head(behind).number) return null
        return method === 'eth_getTransactionByHash'
          ? { from: found.mined.transaction.sender }
          : receiptOf(found.mined, found.block)
      }
      case 'eth_getTransactionCount': {
        const { counts } = second === 'pending' && behind === 0 ? chain.pending() : chain.head(behind)
        return quantity(BigInt(counts.get(String(first)) ?? 0))
      }
      case 'eth_estimateGas':
        return estimate(
          first as { from: string; to: string; data: string },
          behind === 0 ? chain.pending().state : chain.head(behind).state,
        )
      case 'eth_getBalance':
        return quantity(ONE_ETHER)
      case 'eth_maxPriorityFeePerGas':
        return '0xf4240'
      case 'eth_sendRawTransaction':
        return send(method, String(first)).hash
      default:
        throw new JsonRpcError(method, METHOD_NOT_FOUND, 'the method does not exist', undefined)
    }
  }
}

/** Makes what answers `eth_call`: the token and Multicall3 without an EVM. */
function createEthCall(token: Token, domainSeparator: string) {
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
    // A contract creation that is only tried.
    if (call.to === undefined) {
      const { words, behind } = readCodeQuestion(call.data)
      return `0x${words}${behind === undefined ? '' : ethCall(behind, view).slice(2)}`
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
  return ethCall
}
