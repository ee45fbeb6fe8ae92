import type pg from 'pg'
import type { PlatformParts } from '../platform-parts.ts'
import { forgetBlocksAfter, readKeptBlocks, type CursorOwner, type KeptBlock } from './contract-cursor.ts'
import { readBlock } from './read-chain.ts'

/** Where reading goes on. */
export interface Position {
  readonly blockNumber: number
  /** Undefined where what was read is still valid. */
  readonly rewrittenAfter: number | undefined
}

/** How long a node may be behind what we have read before its chain is taken for shorter. */
const BEHIND_MS = 30_000

/**
 * Makes what says where to read on: after what was read, or after what of it is still on the chain. Undefined: the node has
 * to catch up.
 */
export function createPositionFinder(
  parts: Pick<PlatformParts, 'rpc' | 'clock' | 'log'>,
  contract: CursorOwner,
): (client: pg.PoolClient, read: number) => Promise<Position | undefined> {
  let behindSinceMs: number | undefined
  return async (client, read) => {
    const [newest] = await readKeptBlocks(client, contract, 1)
    const block = newest && (await readBlock(parts, newest.blockNumber))
    if (block === undefined && newest !== undefined) {
      // A node that lags for a moment must not unlist anybody.
      behindSinceMs ??= parts.clock.nowMs()
      if (parts.clock.nowMs() - behindSinceMs < BEHIND_MS) return undefined
    }
    behindSinceMs = undefined
    if (block?.hash === newest?.hash) return { blockNumber: read, rewrittenAfter: undefined }
    const blockNumber = await findCommonBlock(parts, await readKeptBlocks(client, contract))
    parts.log.warn(`chain was rewritten: reading the ${contract.name} again`, {
      from: blockNumber,
      to: read,
    })
    await forgetBlocksAfter(client, contract, blockNumber)
    return { blockNumber, rewrittenAfter: blockNumber }
  }
}

/**
 * The newest block that we have read and that is still on the chain. Blocks before it are too: halving finds it.
 * Rejects where none is: that is not a rewritten chain, it is another one, and nobody is unlisted for it.
 */
async function findCommonBlock(
  parts: Pick<PlatformParts, 'rpc'>,
  kept: readonly KeptBlock[],
): Promise<number> {
  let common = -1
  let gone = kept.length
  while (gone - common > 1) {
    const middle = Math.floor((common + gone) / 2)
    const block = kept[middle]
    const stands = block !== undefined && (await readBlock(parts, block.blockNumber))?.hash === block.hash
    if (stands) common = middle
    else gone = middle
  }
  const found = kept[common]
  if (found === undefined)
    throw new Error('the node knows none of the blocks that were read: it is on another chain')
  return found.blockNumber
}
