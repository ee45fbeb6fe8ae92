import type pg from 'pg'
import type { PlatformParts } from '../platform-parts.ts'
import { beginCursor, keepBlock, moveCursor, readKeptBlocks, takeCursor } from './contract-cursor.ts'
import { createPositionFinder, type Position } from './find-position.ts'
import { checkContractChain, readBlock, readHeadNumber, type ContractLog } from './read-chain.ts'
import { createRangeReader, type Range, type RangeReader } from './read-range.ts'

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
export interface FollowContractOptions {
  /** The block to begin with where nothing was followed yet: the contract's first; default 0. */
  readonly firstBlock?: number
  /** The largest range asked for at once; halved as long as a node refuses. */
  readonly maxBlocks?: number
  /** For so long after a pass nobody needs another; default 0. */
  readonly intervalMs?: number
  /** For so long after a pass that read all there is, a chain with the same newest block is not read again; default 0. */
  readonly sameHeadMs?: number
}

const MAX_BLOCKS = 10_000
const NEAR_BLOCKS = 64

/**
 * Makes a follower of a contract: what is deeper than its confirmations counts, what is not yet is kept apart, for those
 * who wait for it. Any number of workers may follow; the cursor's lock lets one.
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
      parts.log.warn(`node is behind what was read of the ${contract.name}`, { head, read })
      return { kind: 'up-to-date', blockNumber: read }
    })
  }
  return { pass: sameHeadMs === 0 ? passOnce : skipSameHead(parts, sameHeadMs, passOnce) }
}

/** Leaves out passes that would read nothing: the chain has the same newest block as before a pass that read all there is. */
function skipSameHead(
  parts: FollowParts,
  sameHeadMs: number,
  passOnce: () => Promise<Pass>,
): () => Promise<Pass> {
  let readAll: { readonly hash: string; readonly atMs: number; readonly pass: Pass } | undefined
  return async () => {
    // Before the pass: a block that comes meanwhile makes the next pass read again.
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

/** Keeps the end of what was read, and before the first range its beginning too: something must be common. */
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
 * How far to read at once. What is far behind is read up to a little before the end first, so that the blocks kept lie
 * close together where a chain may still be rewritten.
 */
function chooseEnd(read: number, last: number, range: number): number {
  const end = Math.min(last, read + range)
  return last - read > 2 * NEAR_BLOCKS ? Math.min(end, last - NEAR_BLOCKS) : end
}
