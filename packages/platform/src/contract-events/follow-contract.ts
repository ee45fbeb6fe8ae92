import { JsonRpcError } from '@farebox/payments/chain/json-rpc'
import { AnswerTooLarge } from '@farebox/payments/internal/http/http-json'
import type pg from 'pg'
import type { PlatformParts } from '../platform-parts.ts'
import {
  beginCursor,
  forgetBlocksAfter,
  keepBlock,
  moveCursor,
  readKeptBlocks,
  takeCursor,
  type KeptBlock,
} from './contract-cursor.ts'
import {
  checkContractChain,
  readBlock,
  readHead,
  readLogs,
  TooManyBlocks,
  type ContractLog,
} from './read-chain.ts'

type FollowParts = Pick<PlatformParts, 'database' | 'rpc' | 'clock' | 'log' | 'network'>

/** A contract whose events are kept as rows. */
export interface FollowedContract<Event> {
  /** The key of its cursor, and what the log calls it: `registry`. */
  readonly name: string
  /** Lower-case address. */
  readonly address: string
  /** The first topics of the events that are read. */
  readonly topics: readonly `0x${string}`[]
  /** Blocks on top of an event before it counts. */
  readonly confirmations: number
  /** What a log says; undefined where it is none to keep. */
  read(log: ContractLog): Event | undefined
  /**
   * Keeps events that count, in the transaction that moves the cursor. Called for each pass, with no events too.
   *
   * @param rewrittenAfter the chain was rewritten: what was kept of later blocks than this one is void
   */
  write(
    client: pg.PoolClient,
    said: { readonly events: readonly Event[]; readonly rewrittenAfter: number | undefined },
  ): Promise<void>
  /** Replaces what does not count yet. */
  writePending?(client: pg.PoolClient, events: readonly Event[]): Promise<void>
}

/** What one pass came to: another worker is at it; there is more to read at once; everything that counts is read. */
export type Pass =
  | { readonly kind: 'busy' }
  | { readonly kind: 'behind' | 'up-to-date'; readonly blockNumber: number }

/** Follows a contract, one pass at a time. */
export interface ContractFollower {
  /**
   * Reads one range of blocks and writes what they said, cursor and rows in one transaction: a process that dies half-way has
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
  /** For so long after a pass that read all there is, a chain with the same newest block is not read again; default 0. */
  readonly sameHeadMs?: number
}

/** Where reading goes on. */
interface Position {
  readonly blockNumber: number
  /** Undefined where what was read still stands. */
  readonly rewrittenAfter: number | undefined
}

interface Range<Event> extends KeptBlock {
  readonly events: readonly Event[]
}

const MAX_BLOCKS = 10_000
const NEAR_BLOCKS = 64
/** How long a node may be behind what we have read before its chain is taken for shorter. */
const BEHIND_MS = 30_000

/**
 * Makes a follower of a contract: what is deeper than its confirmations counts, what is not yet is kept apart, for those
 * who wait for it. Any number of workers may follow; the cursor's lock lets one.
 */
export function createContractFollower<Event>(
  parts: FollowParts,
  contract: FollowedContract<Event>,
  options: FollowOptions = {},
): ContractFollower {
  const { maxBlocks = MAX_BLOCKS, firstBlock = 0, intervalMs = 0, sameHeadMs = 0 } = options
  let isChecked = false
  let range = maxBlocks
  let behindSinceMs: number | undefined
  let readAll: { readonly hash: string; readonly atMs: number; readonly pass: Pass } | undefined

  async function pass(): Promise<Pass> {
    if (sameHeadMs === 0) return await passOnce()
    // Before the pass: a block that comes meanwhile makes the next pass read again.
    const hash = (await readBlock(parts, 'latest'))?.hash
    const agoMs = readAll === undefined ? Number.POSITIVE_INFINITY : parts.clock.nowMs() - readAll.atMs
    if (readAll !== undefined && readAll.hash === hash && agoMs >= 0 && agoMs < sameHeadMs)
      return readAll.pass
    const done = await passOnce()
    readAll =
      done.kind === 'up-to-date' && hash !== undefined
        ? { hash, atMs: parts.clock.nowMs(), pass: done }
        : undefined
    return done
  }

  async function passOnce(): Promise<Pass> {
    if (!isChecked) await checkContractChain(parts, contract.address)
    isChecked = true
    await beginCursor(parts, contract, firstBlock)
    return await parts.database.inTransaction(async client => {
      const read = await takeCursor(client, parts, contract, intervalMs)
      if (read === undefined) return { kind: 'busy' }
      const head = await readHead(parts)
      const position = await findPosition(client, read)
      if (position !== undefined) return await readOn(client, position, head)
      parts.log.warn(`node is behind what was read of the ${contract.name}`, { head, read })
      return { kind: 'up-to-date', blockNumber: read }
    })
  }

  /** Where to read on: after what was read, or after what of it still stands. Undefined: the node has to catch up. */
  async function findPosition(client: pg.PoolClient, read: number): Promise<Position | undefined> {
    const [newest] = await readKeptBlocks(client, contract, 1)
    const block = newest && (await readBlock(parts, newest.blockNumber))
    if (block === undefined && newest !== undefined && !hasBeenBehind()) return undefined
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

  /** A node that lags for a moment must not unlist anybody. */
  function hasBeenBehind(): boolean {
    behindSinceMs ??= parts.clock.nowMs()
    return parts.clock.nowMs() - behindSinceMs >= BEHIND_MS
  }

  async function readOn(client: pg.PoolClient, position: Position, head: number): Promise<Pass> {
    const { blockNumber: from, rewrittenAfter } = position
    const last = head - contract.confirmations
    const to = chooseEnd(from, last, range)
    const read = to > from ? await readRange(from + 1, to) : undefined
    await contract.write(client, { events: read?.events ?? [], rewrittenAfter })
    if (read !== undefined) await keepRange(client, from, read)
    const blockNumber = read?.blockNumber ?? from
    await moveCursor(client, contract, blockNumber, head)
    if (blockNumber < last) return { kind: 'behind', blockNumber }
    if (contract.writePending !== undefined) {
      const pending = head > blockNumber ? await readEvents(blockNumber + 1, head) : []
      await contract.writePending(client, pending)
    }
    return { kind: 'up-to-date', blockNumber }
  }

  /** As much of these blocks as the node gives at once: how much that is differs, and how it refuses more. */
  async function readRange(fromBlock: number, toBlock: number): Promise<Range<Event>> {
    for (let to = toBlock; ; to = fromBlock + range - 1) {
      try {
        const read = await readWhole(fromBlock, to)
        range = Math.min(maxBlocks, range * 2)
        return read
      } catch (error) {
        const isTooMuch =
          error instanceof JsonRpcError || error instanceof TooManyBlocks || error instanceof AnswerTooLarge
        if (!isTooMuch || to === fromBlock) throw error
        range = Math.max(1, Math.floor((to - fromBlock + 1) / 2))
      }
    }
  }

  /** Logs and hashes come in calls of their own: the same hash before and after says that they are of one chain. */
  async function readWhole(fromBlock: number, toBlock: number): Promise<Range<Event>> {
    const hash = await readHash(toBlock)
    const events = await readEvents(fromBlock, toBlock)
    if ((await readHash(toBlock)) === hash) return { blockNumber: toBlock, hash, events }
    throw new Error(`the chain was rewritten while its blocks ${fromBlock} to ${toBlock} were read`)
  }

  /** Keeps the end of what was read, and before the first range its beginning too: something must be common. */
  async function keepRange(client: pg.PoolClient, from: number, read: KeptBlock): Promise<void> {
    const isFirst = (await readKeptBlocks(client, contract, 1)).length === 0
    const before = Math.max(0, from)
    if (isFirst && before < read.blockNumber) {
      await keepBlock(client, contract, { blockNumber: before, hash: await readHash(before) })
    }
    await keepBlock(client, contract, read)
  }

  async function readEvents(fromBlock: number, toBlock: number): Promise<readonly Event[]> {
    const filter = { address: contract.address, topics: [contract.topics] }
    const logs = await readLogs(parts, filter, fromBlock, toBlock)
    return logs.flatMap(log => contract.read(log) ?? [])
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
