/**
 * The most seconds that the time of a block may be ahead of our clock. Block producers may date a block about fifteen
 * seconds ahead (Ethereum's execution clients before the merge, OP stack sequencers by their own drift bound), and clocks
 * differ by a few more. Beyond this limit either the node or our clock is wrong, and the block's time must not be used.
 */
const MAX_BLOCK_AHEAD_SECONDS = 30

/**
 * The node returned a block from the future: its clock or ours is wrong, and the payer is not at fault.
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
  /** Seconds that the block is ahead of our clock. */
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
 * The time of a block, if it is plausible.
 *
 * @param blockSeconds - as the node reports it, Unix seconds
 * @param nowSeconds - our own clock, Unix seconds
 *
 * Throws {@link BlockFromFuture} when the block is more than {@link MAX_BLOCK_AHEAD_SECONDS} ahead.
 */
export function plausibleBlockTime(blockSeconds: number, nowSeconds: number): number {
  if (blockSeconds <= nowSeconds + MAX_BLOCK_AHEAD_SECONDS) return blockSeconds
  throw new BlockFromFuture(blockSeconds - nowSeconds)
}
