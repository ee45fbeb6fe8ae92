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

/** The state of one authorization on the chain, at its head. */
export type ChainVerdict =
  /** Used by a mined transaction that moved exactly this value from payer to payee: paid, whatever account sent it. */
  | { readonly kind: 'settled'; readonly transaction: string; readonly blockNumber: bigint }
  /** Taken back by the payer, or used for another transfer: as long as that block stays, it cannot pay this. */
  | {
      readonly kind: 'spent-otherwise'
      readonly transaction: string
      readonly how: 'cancelled' | 'other-transfer'
      /**
       * The block lies so far back that no reorganisation we accept replaces it: it can never pay this. In a younger
       * one the order may yet turn, and a transfer sent before be mined first.
       */
      readonly isFinal: boolean
    }
  /** Not used at this head; `headSeconds` is the head's timestamp. */
  | { readonly kind: 'unused'; readonly headSeconds: number; readonly headNumber: bigint }
  /** The flag is set but its event was not found in the blocks searched: ask again. */
  | { readonly kind: 'unclear' }

/** Selector of `authorizationState(address,bytes32)`, EIP-3009. */
const AUTHORIZATION_STATE_SELECTOR = '0xe94a0102'

/** Blocks of one `eth_getLogs`: public nodes refuse more than 5,000, and the head moves on while we ask. */
const LOG_RANGE_BLOCKS = 4_900n
/** How far the payer's clock, ours and the chain's may disagree about a day. */
const SEARCH_MARGIN_SECONDS = 3_600

/**
 * Asks the chain what became of an authorization: the last word wherever a settlement is in doubt (D8, D10).
 * Its use is looked for as far back as an authorization that we take can have been good: a day before its end (D5).
 *
 * Rejects when the node cannot be reached, and with `BlockFromFuture` where the time of its head is not to be trusted:
 * then nothing is known, which is not the same as `unused`.
 *
 * @param nowSeconds - our own clock, Unix seconds: what the node says of the time is held against it
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
  // The head is read before the flag: an `unused` is then true at least at that head.
  const head = await readHead(rpc)
  plausibleBlockTime(head.seconds, nowSeconds)
  if (!(await isAuthorizationUsed(rpc, network, authorization)))
    return { kind: 'unused', headSeconds: head.seconds, headNumber: head.number }
  return await findUse(rpc, network, authorization, head)
}

/** Whether the token has marked an authorization, at its head: used or cancelled. Alone it proves no payment. */
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
  // Blocks mined since the head was read are wanted too: the newest range is open.
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
    // Chains differ in their pace a hundredfold, so that the walk is measured by time and not in blocks.
    if (start === 0n || (await readBlock(rpc, quantity(start))).seconds < sinceSeconds)
      return { kind: 'unclear' }
  }
}

/** The block in which a nonce was used up, and whether it was cancelled there: one of the two events we asked for. */
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
  // The node showed this event a moment ago: a receipt without it is no proof that the nonce was spent otherwise.
  if (!receipt.logs.some(log => isSameEvent(log, use))) return { kind: 'unclear' }
  const how = use.topics[0] === AUTHORIZATION_CANCELED_TOPIC ? 'cancelled' : 'other-transfer'
  const { seconds: spentSeconds } = await readBlock(rpc, quantity(receipt.blockNumber))
  const isFinal = head.seconds > spentSeconds + network.finalitySeconds
  return { kind: 'spent-otherwise', transaction: receipt.transactionHash, how, isFinal }
}

/** Its topics name the kind, the payer and the nonce. */
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

/** Timestamp of a block, Unix seconds. Rejects where the node does not have it. */
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
