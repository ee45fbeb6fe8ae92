import { JsonRpcError } from '@farebox/payments/chain/json-rpc'
import { AnswerTooLarge } from '@farebox/payments/internal/http/http-json'
import type { PlatformParts } from '../platform-parts.ts'
import type { KeptBlock } from './contract-cursor.ts'
import { readBlock, readLogs, TooManyBlocks, type ContractLog } from './read-chain.ts'

/** Blocks that were read, known by their last one. */
export interface Range<Event> extends KeptBlock {
  readonly events: readonly Event[]
}

/** Reads what a contract said in a range of blocks, both ends included. */
export interface RangeReader<Event> {
  /** How many blocks are asked for at once now. */
  blocks(): number
  /** As much of these blocks as the node gives at once: how much that is differs, and how it refuses more. */
  read(fromBlock: number, toBlock: number): Promise<Range<Event>>
  /** All of these blocks. */
  readEvents(fromBlock: number, toBlock: number): Promise<readonly Event[]>
  readHash(blockNumber: number): Promise<string>
}

/** What is read of a contract: the form of `FollowedContract`. */
interface ReadContract<Event> {
  readonly address: string
  readonly topics: readonly string[]
  read(log: ContractLog): Event | undefined
}

/** Makes a reader that asks for `maxBlocks` at most, for half as many after each refusal, and then for more again. */
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
  /** Logs and hashes come in calls of their own: the same hash before and after says that they are of one chain. */
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
