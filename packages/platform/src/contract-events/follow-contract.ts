import type pg from 'pg'
import type { PlatformParts } from '../platform-parts.ts'
import { beginCursor, keepBlock, moveCursor, readKeptBlocks, takeCursor } from './contract-cursor.ts'
import { createPositionFinder, type Position } from './find-position.ts'
import { checkContractChain, readBlock, readHeadNumber, type ContractLog } from './read-chain.ts'
import { createRangeReader, type Range, type RangeReader } from './read-range.ts'

type FollowParts = Pick<PlatformParts, 'database' | 'rpc' | 'clock' | 'log' | 'network'>

/** A contract whose events are stored as rows. */
export interface FollowedContract<Event> {
  /** The key of its cursor, and its name in the log: `registry`. */
  readonly name: string
  /** Lower-case address. */
  readonly address: string
  /** The first topics of the events that are read. */
  readonly topics: readonly `0x${string}`[]
  /** Blocks that must follow an event before it counts. */
  readonly confirmations: number
  /** Decodes a log; `undefined` when the log is not stored. */
  read(log: ContractLog): Event | undefined
  /**
   * Stores confirmed events, in the transaction that moves the cursor. Called for each pass, even without events.
   *
   * @param rewrittenAfter when set, the chain was rewritten: rows from blocks after this one are invalid
   */
  write(
    client: pg.PoolClient,
    said: { readonly events: readonly Event[]; readonly rewrittenAfter: number | undefined },
  ): Promise<void>
  /** Replaces the stored events that are not confirmed yet. */
  writePending?(client: pg.PoolClient, events: readonly Event[]): Promise<void>
}

/**
 * The result of one pass. `busy`: another worker reads the contract; `behind`: more blocks can be read at once;
 * `up-to-date`: all confirmed blocks were read.
 */
export type Pass =
  | { readonly kind: 'busy' }
  | { readonly kind: 'behind' | 'up-to-date'; readonly blockNumber: number }

/** Reads a contract's events, one pass at a time. */
export interface ContractFollower {
  /**
   * Reads one range of blocks and stores its events. Cursor and rows are written in one transaction, so a process that dies
   * midway leaves no changes. Rejects when the node or the database fails, or the node is on another chain (REG-02).
   */
  pass(): Promise<Pass>
}

/** Options of a follower. */
export interface FollowContractOptions {
  /** The first block to read when the contract was not followed before: the contract's first. Default 0. */
  readonly firstBlock?: number
  /** The largest range requested at once; it is halved while a node refuses it. */
  readonly maxBlocks?: number
  /** The time after a pass during which no other pass is needed. Default 0. */
  readonly intervalMs?: number
  /** The time after a complete pass during which a chain with the same newest block is not read again. Default 0. */
  readonly sameHeadMs?: number
}

const MAX_BLOCKS = 10_000
const NEAR_BLOCKS = 64

/**
 * Creates a follower of a contract. Events with enough confirmations are stored as confirmed; newer ones are stored
 * separately, as pending. Any number of workers can run it; the lock on the cursor admits one at a time.
 */
export function createContractFollower<Event>(
  parts: FollowParts,
  contract: FollowedContract<Event>,
  options: FollowContractOptions = {},
): ContractFollower {
  const { maxBlocks = MAX_BLOCKS, firstBlock = 0, intervalMs = 0, sameHeadMs = 0 } = options
  const reader = createRangeReader(parts, contract, maxBlocks)
  const findPosition = createPositionFinder(parts, contract)
  let isChecked = false
  const passOnce = async (): Promise<Pass> => {
    if (!isChecked) await checkContractChain(parts, contract.address)
    isChecked = true
    await beginCursor(parts, contract, firstBlock)
    return await parts.database.inTransaction(async client => {
      const read = await takeCursor(client, parts, contract, intervalMs)
      if (read === undefined) return { kind: 'busy' }
      const head = await readHeadNumber(parts)
      const position = await findPosition(client, read)
      if (position !== undefined) return await readOn(client, contract, reader, { ...position, head })
      parts.log.warn(`the node is behind the blocks already read of the ${contract.name}`, { head, read })
      return { kind: 'up-to-date', blockNumber: read }
    })
  }
  return { pass: sameHeadMs === 0 ? passOnce : skipSameHead(parts, sameHeadMs, passOnce) }
}

/** Skips passes that would read nothing, because the chain's newest block is the same as before the last complete pass. */
function skipSameHead(
  parts: FollowParts,
  sameHeadMs: number,
  passOnce: () => Promise<Pass>,
): () => Promise<Pass> {
  let readAll: { readonly hash: string; readonly atMs: number; readonly pass: Pass } | undefined
  return async () => {
    // Read before the pass, so that a block that arrives during the pass causes another one.
    const hash = (await readBlock(parts, 'latest'))?.hash
    const agoMs = readAll === undefined ? Number.POSITIVE_INFINITY : parts.clock.nowMs() - readAll.atMs
    if (readAll !== undefined && readAll.hash === hash && agoMs >= 0 && agoMs < sameHeadMs)
      return readAll.pass
    const pass = await passOnce()
    const isAll = pass.kind === 'up-to-date' && hash !== undefined
    readAll = isAll ? { hash, atMs: parts.clock.nowMs(), pass } : undefined
    return pass
  }
}

async function readOn<Event>(
  client: pg.PoolClient,
  contract: FollowedContract<Event>,
  reader: RangeReader<Event>,
  { blockNumber: from, rewrittenAfter, head }: Position & { readonly head: number },
): Promise<Pass> {
  const last = head - contract.confirmations
  const to = chooseEnd(from, last, reader.blocks())
  const read = to > from ? await reader.read(from + 1, to) : undefined
  await contract.write(client, { events: read?.events ?? [], rewrittenAfter })
  if (read !== undefined) await keepRange(client, contract, reader, { from, read })
  const blockNumber = read?.blockNumber ?? from
  await moveCursor(client, contract, blockNumber, head)
  if (blockNumber < last) return { kind: 'behind', blockNumber }
  if (contract.writePending !== undefined) {
    const pending = head > blockNumber ? await reader.readEvents(blockNumber + 1, head) : []
    await contract.writePending(client, pending)
  }
  return { kind: 'up-to-date', blockNumber }
}

/**
 * Stores the last block of the range. Before the first range it also stores the block before it, so that a later rewrite
 * finds a common block.
 */
async function keepRange<Event>(
  client: pg.PoolClient,
  contract: FollowedContract<Event>,
  reader: RangeReader<Event>,
  { from, read }: { readonly from: number; readonly read: Range<Event> },
): Promise<void> {
  const isFirst = (await readKeptBlocks(client, contract, 1)).length === 0
  const before = Math.max(0, from)
  if (isFirst && before < read.blockNumber) {
    await keepBlock(client, contract, { blockNumber: before, hash: await reader.readHash(before) })
  }
  await keepBlock(client, contract, read)
}

/**
 * The last block of the next range. A cursor that is far behind is first read up to a little before the end, so that the
 * stored blocks are close together where the chain may still be rewritten.
 */
function chooseEnd(read: number, last: number, range: number): number {
  const end = Math.min(last, read + range)
  return last - read > 2 * NEAR_BLOCKS ? Math.min(end, last - NEAR_BLOCKS) : end
}
