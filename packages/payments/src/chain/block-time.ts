/**
 * How far the time of a block may be ahead of our own clock, in seconds. Producers may date a block about fifteen seconds
 * ahead (Ethereum's execution clients before the merge, OP stack sequencers by their own drift bound), and clocks differ
 * by a few more. Beyond it either the node or our clock is wrong, and nothing may be judged by it.
 */
const MAX_BLOCK_AHEAD_SECONDS = 30

/**
 * The node shows a block from the future: it, or our clock, is wrong, and neither is a payer's fault.
 *
 * @example
 * ```ts
 * import type { Authorization } from '@farebox/payments/authorization/eip-3009'
 * import { BlockFromFuture } from '@farebox/payments/chain/block-time'
 * import { findSettlement } from '@farebox/payments/chain/find-settlement'
 * import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
 * import type { Network } from '@farebox/payments/networks'
 *
 * export async function askChain(rpc: JsonRpc, network: Network, payment: Authorization) {
 *   try {
 *     return await findSettlement(rpc, network, payment, Date.now() / 1_000)
 *   } catch (error) {
 *     if (error instanceof BlockFromFuture) console.error(`${error.aheadSeconds} s ahead of our clock`)
 *     throw error
 *   }
 * }
 * ```
 */
export class BlockFromFuture extends Error {
  override readonly name = 'BlockFromFuture'
  /** How far ahead of our clock, in seconds. */
  readonly aheadSeconds: number

  constructor(aheadSeconds: number) {
    super(
      `the node's newest block is ${Math.round(aheadSeconds)} s ahead of our clock: ` +
        'the time of the node or of this machine is wrong',
    )
    this.aheadSeconds = aheadSeconds
  }
}

/**
 * The time of a block, where it may be judged by.
 *
 * @param blockSeconds - as the node tells it, Unix seconds
 * @param nowSeconds - our own clock, Unix seconds
 *
 * Throws {@link BlockFromFuture} where it is more than {@link MAX_BLOCK_AHEAD_SECONDS} ahead.
 */
export function plausibleBlockTime(blockSeconds: number, nowSeconds: number): number {
  if (blockSeconds <= nowSeconds + MAX_BLOCK_AHEAD_SECONDS) return blockSeconds
  throw new BlockFromFuture(blockSeconds - nowSeconds)
}
