import { JsonRpcError } from '@farebox/payments/chain/json-rpc'
import type pg from 'pg'
import type { PlatformParts } from '../../platform-parts.ts'
import { applyChainState } from './apply-chain-state.ts'
import { checkRegistryChain, readBlock, readEvents, readHead, TooManyBlocks } from './read-chain.ts'
import type { RegistryEvent } from './registry-contract.ts'
import {
  beginCursor,
  forgetBlocksAfter,
  keepBlock,
  moveCursor,
  readKeptBlocks,
  replacePending,
  takeCursor,
  type KeptBlock,
} from './registry-cursor.ts'
import { forgetEventsAfter, storeEvents } from './store-events.ts'

type FollowParts = Pick<
  PlatformParts,
  'database' | 'rpc' | 'clock' | 'log' | 'network' | 'outbound' | 'settings'
>

/** What one pass came to: another worker is at it; there is more to read at once; everything that counts is read. */
export type Pass =
  | { readonly kind: 'busy' }
  | { readonly kind: 'behind' | 'up-to-date'; readonly blockNumber: number }

/** Follows the registry contract, one pass at a time. */
export interface RegistryFollower {
  /**
   * Reads one range of blocks and writes what they said, cursor and rows in one transaction: whoever dies half-way has
   * done nothing. Rejects where the node or the database fails, or the node is not on our chain (REG-02).
   */
  pass(): Promise<Pass>
}

/** How a follower differs from the usual one. */
export interface FollowOptions {
  /** The block to begin with where nothing was followed yet: the contract's first; default 0. */
  readonly firstBlock?: number
  /** The largest range asked for at once; halved as long as a node refuses. */
  readonly maxBlocks?: number
  /** For so long after a pass nobody needs another; default 0. */
  readonly intervalMs?: number
}

/** Where reading goes on. */
interface Position {
  readonly blockNumber: number
  /** Agents of whom an abandoned block spoke: to be brought in line whatever the new ones say. */
  readonly misread: ReadonlySet<number>
}

interface Range extends KeptBlock {
  readonly events: readonly RegistryEvent[]
}

const MAX_BLOCKS = 10_000
const NEAR_BLOCKS = 64
/** How long a node may be behind what we have read before its chain is taken for shorter. */
const BEHIND_MS = 30_000

/**
 * Makes a follower of the AgentRegistry contract (D36): what is deeper than `settings.confirmations` counts, what is
 * not yet is kept apart, for those who wait for it. Any number of workers may follow; the cursor's lock lets one.
 */
export function createRegistryFollower(parts: FollowParts, options: FollowOptions = {}): RegistryFollower {
  const { maxBlocks = MAX_BLOCKS, firstBlock = 0, intervalMs = 0 } = options
  let isChecked = false
  let range = maxBlocks
  let behindSinceMs: number | undefined

  async function pass(): Promise<Pass> {
    if (!isChecked) await checkRegistryChain(parts)
    isChecked = true
    await beginCursor(parts, firstBlock)
    return await parts.database.inTransaction(async client => {
      const read = await takeCursor(client, parts, intervalMs)
      if (read === undefined) return { kind: 'busy' }
      const head = await readHead(parts)
      const position = await findPosition(client, read)
      if (position !== undefined) return await readOn(client, position, head)
      parts.log.warn('node is behind what was read of the registry', { head, read })
      return { kind: 'up-to-date', blockNumber: read }
    })
  }

  /** Where to read on: after what was read, or after what of it still stands. Undefined: the node has to catch up. */
  async function findPosition(client: pg.PoolClient, read: number): Promise<Position | undefined> {
    const [newest] = await readKeptBlocks(client, 1)
    const block = newest && (await readBlock(parts, newest.blockNumber))
    if (block === undefined && newest !== undefined && !hasBeenBehind()) return undefined
    behindSinceMs = undefined
    if (block?.hash === newest?.hash) return { blockNumber: read, misread: new Set() }
    const blockNumber = await findCommonBlock(parts, await readKeptBlocks(client))
    parts.log.warn('chain was rewritten: reading the registry again', { from: blockNumber, to: read })
    await forgetBlocksAfter(client, blockNumber)
    return { blockNumber, misread: await forgetEventsAfter(client, blockNumber) }
  }

  /** A node that lags for a moment must not unlist anybody. */
  function hasBeenBehind(): boolean {
    behindSinceMs ??= parts.clock.nowMs()
    return parts.clock.nowMs() - behindSinceMs >= BEHIND_MS
  }

  async function readOn(client: pg.PoolClient, position: Position, head: number): Promise<Pass> {
    const { blockNumber: from, misread } = position
    const last = head - parts.settings.confirmations
    const to = chooseEnd(from, last, range)
    const read = to > from ? await readRange(from + 1, to) : undefined
    const events = read?.events ?? []
    const unkept = await storeEvents(client, events)
    await applyChainState(client, new Set([...misread, ...events.map(event => event.agentId)]), {
      judge: url => parts.outbound.judge(url),
      log: parts.log,
      nowMs: parts.clock.nowMs(),
      unkept,
    })
    if (read !== undefined) await keepRange(client, from, read)
    const blockNumber = read?.blockNumber ?? from
    await moveCursor(client, blockNumber, head)
    if (blockNumber < last) return { kind: 'behind', blockNumber }
    await replacePending(client, head > blockNumber ? await readEvents(parts, blockNumber + 1, head) : [])
    return { kind: 'up-to-date', blockNumber }
  }

  /** As much of these blocks as the node gives at once: how much that is differs, and how it refuses more. */
  async function readRange(fromBlock: number, toBlock: number): Promise<Range> {
    for (let to = toBlock; ; to = fromBlock + range - 1) {
      try {
        const read = await readWhole(fromBlock, to)
        range = Math.min(maxBlocks, range * 2)
        return read
      } catch (error) {
        const isTooMuch = error instanceof JsonRpcError || error instanceof TooManyBlocks
        if (!isTooMuch || to === fromBlock) throw error
        range = Math.max(1, Math.floor((to - fromBlock + 1) / 2))
      }
    }
  }

  /** Logs and hashes come in calls of their own: the same hash before and after says that they are of one chain. */
  async function readWhole(fromBlock: number, toBlock: number): Promise<Range> {
    const hash = await readHash(toBlock)
    const events = await readEvents(parts, fromBlock, toBlock)
    if ((await readHash(toBlock)) === hash) return { blockNumber: toBlock, hash, events }
    throw new Error(`the chain was rewritten while its blocks ${fromBlock} to ${toBlock} were read`)
  }

  /** Keeps the end of what was read, and before the first range its beginning too: something must be common. */
  async function keepRange(client: pg.PoolClient, from: number, read: KeptBlock): Promise<void> {
    const isFirst = (await readKeptBlocks(client, 1)).length === 0
    const before = Math.max(0, from)
    if (isFirst && before < read.blockNumber) {
      await keepBlock(client, { blockNumber: before, hash: await readHash(before) })
    }
    await keepBlock(client, read)
  }

  async function readHash(blockNumber: number): Promise<string> {
    const block = await readBlock(parts, blockNumber)
    if (block === undefined) throw new Error(`the node has no block ${blockNumber} any more`)
    return block.hash
  }

  return { pass }
}

/**
 * How far to read at once. What is far behind is read up to a little before the end first, so that the blocks kept lie
 * close together where a chain may still be rewritten.
 */
function chooseEnd(read: number, last: number, range: number): number {
  const end = Math.min(last, read + range)
  return last - read > 2 * NEAR_BLOCKS ? Math.min(end, last - NEAR_BLOCKS) : end
}

/**
 * The newest block that we have read and that is still on the chain. Blocks before it are too: halving finds it.
 * Rejects where none is: that is not a rewritten chain, it is another one, and nobody is unlisted for it.
 */
async function findCommonBlock(parts: FollowParts, kept: readonly KeptBlock[]): Promise<number> {
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
