import { JsonRpcError } from '@farebox/payments/chain/json-rpc'
import { AnswerTooLarge } from '@farebox/payments/internal/http/http-json'
import type { PlatformParts } from '../platform-parts.ts'
import type { KeptBlock } from './contract-cursor.ts'
import { readBlock, readLogs, TooManyBlocks, type ContractLog } from './read-chain.ts'

/** A range of blocks that was read, identified by its last block. */
export interface Range<Event> extends KeptBlock {
  readonly events: readonly Event[]
}

/** Reads the events of a contract in a range of blocks, both ends included. */
export interface RangeReader<Event> {
  /** The current size of a request, in blocks. */
  blocks(): number
  /**
   * Reads as many of these blocks, from the first on, as the node returns at once. Nodes differ in their limit and in how
   * they refuse.
   */
  read(fromBlock: number, toBlock: number): Promise<Range<Event>>
  /** Reads the events of all these blocks. */
  readEvents(fromBlock: number, toBlock: number): Promise<readonly Event[]>
  readHash(blockNumber: number): Promise<string>
}

/** The part of `FollowedContract` that is needed for reading. */
interface ReadContract<Event> {
  readonly address: string
  readonly topics: readonly string[]
  read(log: ContractLog): Event | undefined
}

/**
 * Creates a reader that requests at most `maxBlocks` blocks. The size is halved after each refusal and doubled after each
 * success.
 */
export function createRangeReader<Event>(
  parts: Pick<PlatformParts, 'rpc' | 'network'>,
  contract: ReadContract<Event>,
  maxBlocks: number,
): RangeReader<Event> {
  let blocks = maxBlocks
  const readEvents = async (fromBlock: number, toBlock: number): Promise<readonly Event[]> => {
    const filter = { address: contract.address, topics: [contract.topics] }
    const logs = await readLogs(parts, filter, fromBlock, toBlock)
    return logs.flatMap(log => contract.read(log) ?? [])
  }
  const readHash = async (blockNumber: number): Promise<string> => {
    const block = await readBlock(parts, blockNumber)
    if (block === undefined) throw new Error(`the node has no block ${blockNumber} any more`)
    return block.hash
  }
  /**
   * Logs and hashes come from separate calls; an equal hash before and after the logs shows that they belong to the same
   * chain.
   */
  const readWhole = async (fromBlock: number, toBlock: number): Promise<Range<Event>> => {
    const hash = await readHash(toBlock)
    const events = await readEvents(fromBlock, toBlock)
    if ((await readHash(toBlock)) === hash) return { blockNumber: toBlock, hash, events }
    throw new Error(`the chain was rewritten while its blocks ${fromBlock} to ${toBlock} were read`)
  }
  return {
    blocks: () => blocks,
    readEvents,
    readHash,
    async read(fromBlock, toBlock) {
      for (let to = toBlock; ; to = fromBlock + blocks - 1) {
        try {
          const read = await readWhole(fromBlock, to)
          blocks = Math.min(maxBlocks, blocks * 2)
          return read
        } catch (error) {
          const isTooMuch =
            error instanceof JsonRpcError || error instanceof TooManyBlocks || error instanceof AnswerTooLarge
          if (!isTooMuch || to === fromBlock) throw error
          blocks = Math.max(1, Math.floor((to - fromBlock + 1) / 2))
        }
      }
    },
  }
}
