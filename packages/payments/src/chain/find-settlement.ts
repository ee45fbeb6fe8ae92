import { MAX_AUTHORIZATION_SECONDS } from '@farebox/protocol/limits'
import type { Authorization } from '../authorization/eip-3009.ts'
import { plausibleBlockTime } from './block-time.ts'
import {
  AUTHORIZATION_CANCELED_TOPIC,
  AUTHORIZATION_USED_TOPIC,
  receiptProvesPayment,
} from './chain-proof.ts'
import { readReceipt } from './chain-receipt.ts'
import { JsonRpcError, type JsonRpc } from './json-rpc.ts'
import type { Network } from '../networks.ts'
import { addressTopic, isQuantity, quantity, word } from './rpc-words.ts'

/** The state of an authorization at the head of the chain. */
export type ChainVerdict =
  /**
   * Used by a mined transaction that moved exactly this value from payer to payee: paid, whatever account sent the
   * transaction.
   */
  | { readonly kind: 'settled'; readonly transaction: string; readonly blockNumber: bigint }
  /** Cancelled by the payer, or used for another transfer: while that block exists, the authorization cannot pay this. */
  | {
      readonly kind: 'spent-otherwise'
      readonly transaction: string
      readonly how: 'cancelled' | 'other-transfer'
      /**
       * The block is so old that no accepted reorganisation can replace it: the authorization can never pay this. After a
       * reorganisation of a newer block, an earlier transfer might be mined first.
       */
      readonly isFinal: boolean
    }
  /** Not used at this head; `headSeconds` is the head's timestamp. */
  | { readonly kind: 'unused'; readonly headSeconds: number; readonly headNumber: bigint }
  /** The state is set, but its event was not found in the searched blocks: ask again. */
  | { readonly kind: 'unclear' }

/** Selector of `authorizationState(address,bytes32)`, EIP-3009. */
const AUTHORIZATION_STATE_SELECTOR = '0xe94a0102'

/** Blocks of one `eth_getLogs` request: public nodes refuse more than 5,000, and the head advances between requests. */
const LOG_RANGE_BLOCKS = 4_900n
/** The most that the payer's clock, ours and the chain's are assumed to disagree. */
const SEARCH_MARGIN_SECONDS = 3_600

/**
 * Determines the outcome of an authorization from the chain, which decides whenever a settlement is in doubt (D8, D10). Its
 * use is searched back to the earliest time at which an accepted authorization can have been valid: a day before its end
 * (D5).
 *
 * Rejects when the node cannot be reached, and with `BlockFromFuture` when the time of its head is implausible: the outcome
 * is then unknown, which is not the same as `unused`.
 *
 * @param nowSeconds - our own clock, Unix seconds, for checking the node's block times
 * @example
 * ```ts
 * import type { Authorization } from '@farebox/payments/authorization/eip-3009'
 * import { findSettlement } from '@farebox/payments/chain/find-settlement'
 * import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
 * import type { Network } from '@farebox/payments/networks'
 *
 * export async function wasCharged(network: Network, payment: Authorization): Promise<boolean | 'unclear'> {
 *   const rpc = createJsonRpc('https://sepolia.base.org')
 *   const { kind } = await findSettlement(rpc, network, payment, Date.now() / 1_000)
 *   await rpc.close()
 *   return kind === 'unclear' ? kind : kind === 'settled'
 * }
 * ```
 */
export async function findSettlement(
  rpc: JsonRpc,
  network: Network,
  authorization: Authorization,
  nowSeconds: number,
): Promise<ChainVerdict> {
  // The head is read before the state, so an `unused` is true at least at that head.
  const head = await readHead(rpc)
  plausibleBlockTime(head.seconds, nowSeconds)
  if (!(await isAuthorizationUsed(rpc, network, authorization)))
    return { kind: 'unused', headSeconds: head.seconds, headNumber: head.number }
  return await findUse(rpc, network, authorization, head)
}

/** Does the token report the authorization as used or cancelled at the head? That alone proves no payment. */
export async function isAuthorizationUsed(
  rpc: JsonRpc,
  network: Network,
  { from, nonce }: Pick<Authorization, 'from' | 'nonce'>,
): Promise<boolean> {
  const data = AUTHORIZATION_STATE_SELECTOR + word(from) + word(nonce)
  const state = await rpc.call('eth_call', [{ to: network.asset.address, data }, 'latest'])
  if (typeof state === 'string' && /^0x[0-9a-f]{64}$/i.test(state)) return BigInt(state) !== 0n
  throw new Error(
    `authorizationState answered ${JSON.stringify(state)}: is ${network.asset.address} USDC on this chain?`,
  )
}

async function findUse(
  rpc: JsonRpc,
  network: Network,
  authorization: Authorization,
  head: Head,
): Promise<ChainVerdict> {
  const sinceSeconds = Number(authorization.validBefore) - MAX_AUTHORIZATION_SECONDS - SEARCH_MARGIN_SECONDS
  // The newest range has no end, to include blocks mined after the head was read.
  for (let end = head.number, toBlock = 'latest'; ; end -= LOG_RANGE_BLOCKS, toBlock = quantity(end)) {
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
    if (found !== undefined) return await classifyUse(rpc, network, authorization, found, head)
    // Block intervals differ a hundredfold between chains, so the search is limited by time, not by blocks.
    if (start === 0n || (await readBlock(rpc, quantity(start))).seconds < sinceSeconds)
      return { kind: 'unclear' }
  }
}

/** The block in which a nonce was used, and whether it was cancelled there, from one of the two requested events. */
interface Use {
  readonly transactionHash: string
  readonly topics: readonly unknown[]
}

async function classifyUse(
  rpc: JsonRpc,
  network: Network,
  authorization: Authorization,
  use: Use,
  head: Head,
): Promise<ChainVerdict> {
  const receipt = await readReceipt(rpc, use.transactionHash)
  if (receipt === undefined) return { kind: 'unclear' }
  if (receiptProvesPayment(network, authorization, receipt)) {
    return { kind: 'settled', transaction: receipt.transactionHash, blockNumber: receipt.blockNumber }
  }
  // The node returned this event a moment ago, so a receipt without it does not prove another use of the nonce.
  if (!receipt.logs.some(log => isSameEvent(log, use))) return { kind: 'unclear' }
  const how = use.topics[0] === AUTHORIZATION_CANCELED_TOPIC ? 'cancelled' : 'other-transfer'
  const { seconds: spentSeconds } = await readBlock(rpc, quantity(receipt.blockNumber))
  // The head is read again, because a node whose time changed between the reads would make a new block look old.
  const headSeconds = Math.min(head.seconds, (await readHead(rpc)).seconds)
  const isFinal = headSeconds > spentSeconds + network.finalitySeconds
  return { kind: 'spent-otherwise', transaction: receipt.transactionHash, how, isFinal }
}

/** The topics name the kind, the payer and the nonce. */
function isSameEvent(one: { readonly topics: readonly unknown[] }, other: Use): boolean {
  return other.topics.every(
    (topic, index) => String(topic).toLowerCase() === String(one.topics[index]).toLowerCase(),
  )
}

/** A block's number and timestamp (Unix seconds). */
interface Head {
  readonly number: bigint
  readonly seconds: number
}

/** The newest block's number and timestamp (Unix seconds). */
export async function readHead(rpc: JsonRpc): Promise<{ readonly number: bigint; readonly seconds: number }> {
  return await readBlock(rpc, 'latest')
}

/** Timestamp of a block, Unix seconds. Rejects when the node does not have the block. */
export async function readBlockSeconds(rpc: JsonRpc, blockNumber: bigint): Promise<number> {
  return (await readBlock(rpc, quantity(blockNumber))).seconds
}

async function readBlock(rpc: JsonRpc, block: string): Promise<Head> {
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
