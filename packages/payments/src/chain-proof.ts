import { MAX_AUTHORIZATION_SECONDS } from '@farebox/protocol/limits'
import type { Authorization } from './authorization.ts'
import { JsonRpcError, type JsonRpc } from './json-rpc.ts'
import type { Network } from './networks.ts'

/** What the chain says of one authorization, at its head. */
export type ChainVerdict =
  /** Used by a mined transaction that moved exactly this value from payer to payee: paid, whoever sent it. */
  | { readonly kind: 'settled'; readonly transaction: string; readonly blockNumber: bigint }
  /** Taken back by the payer, or used for another transfer: it can never pay this. */
  | {
      readonly kind: 'spent-otherwise'
      readonly transaction: string
      readonly how: 'cancelled' | 'other-transfer'
    }
  /** Not used at this head; `headSeconds` is the head's timestamp. */
  | { readonly kind: 'unused'; readonly headSeconds: number; readonly headNumber: bigint }
  /** The flag is set but its event was not found in the blocks searched: ask again. */
  | { readonly kind: 'unclear' }

/** A transaction's log, as nodes give it. */
export interface ChainLog {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
}

/** A mined transaction, the parts of it that prove something. */
export interface ChainReceipt {
  readonly transactionHash: string
  readonly succeeded: boolean
  readonly blockNumber: bigint
  readonly blockHash: string
  readonly logs: readonly ChainLog[]
}

/** keccak256 of `AuthorizationUsed(address,bytes32)`, EIP-3009. */
export const AUTHORIZATION_USED_TOPIC = '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5'
/** keccak256 of `AuthorizationCanceled(address,bytes32)`, EIP-3009. */
export const AUTHORIZATION_CANCELED_TOPIC =
  '0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81'
/** keccak256 of `Transfer(address,address,uint256)`, ERC-20. */
export const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
/** Selector of `authorizationState(address,bytes32)`, EIP-3009. */
const AUTHORIZATION_STATE_SELECTOR = '0xe94a0102'

/** Blocks of one `eth_getLogs`: public nodes refuse more than 5,000, and the head moves on while we ask. */
const LOG_RANGE_BLOCKS = 4_900n
/** How far the payer's clock, ours and the chain's may disagree about a day. */
const SEARCH_MARGIN_SECONDS = 3_600

/**
 * Does this receipt prove the payment? Success, `AuthorizationUsed` for this payer and nonce, and the matching
 * `Transfer`, all by the asset's own contract (D10). A flag in storage proves nothing: cancelling sets it too.
 */
export function receiptProvesPayment(
  network: Network,
  authorization: Authorization,
  receipt: ChainReceipt,
): boolean {
  if (!receipt.succeeded) return false
  const logs = receipt.logs.filter(log => log.address.toLowerCase() === network.asset.address)
  const payer = addressTopic(authorization.from)
  const used = logs.findIndex(
    log =>
      log.topics[0] === AUTHORIZATION_USED_TOPIC &&
      log.topics[1] === payer &&
      log.topics[2] === authorization.nonce,
  )
  if (used === -1) return false
  // The token emits the transfer right after the flag; a batch may hold a twin of it for another nonce.
  const transfer = logs[used + 1]
  return (
    transfer !== undefined &&
    transfer.topics[0] === TRANSFER_TOPIC &&
    transfer.topics[1] === payer &&
    transfer.topics[2] === addressTopic(authorization.to) &&
    transfer.data.toLowerCase() === `0x${word(quantity(BigInt(authorization.value)))}`
  )
}

/** Reads a mined transaction; undefined while the node knows no receipt of it. */
export async function readReceipt(rpc: JsonRpc, transactionHash: string): Promise<ChainReceipt | undefined> {
  return parseReceipt(await rpc.call('eth_getTransactionReceipt', [transactionHash]))
}

/** A receipt as a node gives it, in our terms; undefined for null or anything that is no receipt. */
export function parseReceipt(value: unknown): ChainReceipt | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { transactionHash, status, blockNumber, blockHash, logs } = value as { [key: string]: unknown }
  if (typeof transactionHash !== 'string' || !isQuantity(blockNumber) || typeof blockHash !== 'string')
    return undefined
  if (!Array.isArray(logs)) return undefined
  return {
    transactionHash: transactionHash.toLowerCase(),
    succeeded: status === '0x1',
    blockNumber: BigInt(blockNumber),
    blockHash,
    logs: logs.filter(isLog),
  }
}

/**
 * Asks the chain what became of an authorization: the last word wherever a settlement is in doubt (D8, D10).
 * Its use is looked for as far back as an authorization that we take can have been good: a day before its end (D5).
 *
 * Rejects when the node cannot be reached: then nothing is known, which is not the same as `unused`.
 */
export async function findSettlement(
  rpc: JsonRpc,
  network: Network,
  authorization: Authorization,
): Promise<ChainVerdict> {
  // The head is read before the flag: an `unused` is then true at least at that head.
  const head = await readHead(rpc)
  const state = await rpc.call('eth_call', [
    {
      to: network.asset.address,
      data: AUTHORIZATION_STATE_SELECTOR + word(authorization.from) + word(authorization.nonce),
    },
    'latest',
  ])
  if (typeof state !== 'string' || !/^0x[0-9a-f]{64}$/i.test(state)) {
    throw new Error(
      `authorizationState answered ${JSON.stringify(state)}: is ${network.asset.address} USDC on this chain?`,
    )
  }
  if (BigInt(state) === 0n) return { kind: 'unused', headSeconds: head.seconds, headNumber: head.number }
  return await findUse(rpc, network, authorization, head.number)
}

async function findUse(
  rpc: JsonRpc,
  network: Network,
  authorization: Authorization,
  head: bigint,
): Promise<ChainVerdict> {
  const sinceSeconds = Number(authorization.validBefore) - MAX_AUTHORIZATION_SECONDS - SEARCH_MARGIN_SECONDS
  // Blocks mined since the head was read are wanted too: the newest range is open.
  for (let end = head, toBlock = 'latest'; ; end -= LOG_RANGE_BLOCKS, toBlock = quantity(end)) {
    const start = end >= LOG_RANGE_BLOCKS ? end - LOG_RANGE_BLOCKS + 1n : 0n
    const logs = await rpc.call('eth_getLogs', [
      {
        address: network.asset.address,
        fromBlock: quantity(start),
        toBlock,
        topics: [
          [AUTHORIZATION_USED_TOPIC, AUTHORIZATION_CANCELED_TOPIC],
          addressTopic(authorization.from),
          authorization.nonce,
        ],
      },
    ])
    const found = Array.isArray(logs) ? logs.find(isUse) : undefined
    if (found !== undefined) return await judgeUse(rpc, network, authorization, found)
    // Chains differ in their pace a hundredfold, so that the walk is measured by time and not in blocks.
    if (start === 0n || (await readBlock(rpc, quantity(start))).seconds < sinceSeconds)
      return { kind: 'unclear' }
  }
}

/** Where a nonce was used up, and whether it was cancelled there: one of the two events we asked for. */
interface Use {
  readonly transactionHash: string
  readonly topics: readonly unknown[]
}

async function judgeUse(
  rpc: JsonRpc,
  network: Network,
  authorization: Authorization,
  use: Use,
): Promise<ChainVerdict> {
  const receipt = await readReceipt(rpc, use.transactionHash)
  if (receipt === undefined) return { kind: 'unclear' }
  if (receiptProvesPayment(network, authorization, receipt)) {
    return { kind: 'settled', transaction: receipt.transactionHash, blockNumber: receipt.blockNumber }
  }
  const how = use.topics[0] === AUTHORIZATION_CANCELED_TOPIC ? 'cancelled' : 'other-transfer'
  return { kind: 'spent-otherwise', transaction: receipt.transactionHash, how }
}

/** The newest block's number and timestamp (Unix seconds). */
export async function readHead(rpc: JsonRpc): Promise<{ readonly number: bigint; readonly seconds: number }> {
  return await readBlock(rpc, 'latest')
}

async function readBlock(
  rpc: JsonRpc,
  block: string,
): Promise<{ readonly number: bigint; readonly seconds: number }> {
  const header = await rpc.call('eth_getBlockByNumber', [block, false])
  if (typeof header === 'object' && header !== null && 'number' in header && 'timestamp' in header) {
    const { number, timestamp } = header
    if (isQuantity(number) && isQuantity(timestamp))
      return { number: BigInt(number), seconds: Number(timestamp) }
  }
  throw new JsonRpcError('eth_getBlockByNumber', 0, 'the node gave no block', header)
}

function isUse(value: unknown): value is Use {
  return (
    typeof value === 'object' &&
    value !== null &&
    'transactionHash' in value &&
    typeof value.transactionHash === 'string' &&
    'topics' in value &&
    Array.isArray(value.topics)
  )
}

function isLog(value: unknown): value is ChainLog {
  return (
    typeof value === 'object' &&
    value !== null &&
    'address' in value &&
    typeof value.address === 'string' &&
    'topics' in value &&
    Array.isArray(value.topics) &&
    'data' in value &&
    typeof value.data === 'string' &&
    /^0x[0-9a-f]*$/i.test(value.data)
  )
}

function addressTopic(address: string): string {
  return `0x${word(address)}`
}

function word(hex: string): string {
  return hex.slice(2).padStart(64, '0')
}

function isQuantity(value: unknown): value is string {
  return typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value)
}

function quantity(value: bigint): string {
  return `0x${value.toString(16)}`
}
