import type pg from 'pg'
import type { PlatformParts } from '../platform-parts.ts'
import { forgetBlocksAfter, readKeptBlocks, type CursorOwner, type KeptBlock } from './contract-cursor.ts'
import { readBlock } from './read-chain.ts'

/** The position from which to continue reading. */
export interface Position {
  readonly blockNumber: number
  /** The last valid block after a rewrite of the chain; `undefined` when everything read is still valid. */
  readonly rewrittenAfter: number | undefined
}

/** How long a node may be behind the blocks already read before its chain is considered shorter. */
const BEHIND_MS = 30_000

/**
 * Creates a function that finds where to continue reading: after the last block read, or after the newest of the read
 * blocks that is still on the chain. It resolves to `undefined` when the node must catch up first.
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
      // A node that is briefly behind must not cause agents to be unlisted.
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
 * The newest block that was read and is still on the chain. All blocks before it are on the chain too, so a binary search
 * finds it. Rejects when there is none: that is another chain and not a rewrite, and must not unlist agents.
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
