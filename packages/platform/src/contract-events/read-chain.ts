import type { PlatformParts } from '../platform-parts.ts'

type ChainParts = Pick<PlatformParts, 'rpc' | 'network'>

/** A log of a contract, after its format was checked. */
export interface ContractLog {
  readonly blockNumber: number
  /** Its index in the block. */
  readonly logIndex: number
  readonly topics: readonly `0x${string}`[]
  readonly data: `0x${string}`
  readonly transaction: string
  /** The time of its block. */
  readonly blockAtMs: number
}

/** Selects the logs of a contract. */
export interface LogFilter {
  /** Lower-case address. */
  readonly address: string
  /** In the format of `eth_getLogs`. */
  readonly topics: readonly unknown[]
}

/** One range has too many blocks with events: their times would be requested block by block while others wait. */
export class TooManyBlocks extends Error {
  override readonly name = 'TooManyBlocks'

  constructor(blocks: number) {
    super(`${blocks} blocks have events: the range is too large`)
  }
}

const MAX_BLOCKS_ASKED_FOR = 200
const AT_ONCE = 10

/** The needed fields of a block. */
export interface BlockRead {
  readonly hash: string
  readonly atMs: number
}

/** No contract exists at the address to be followed. */
export class ContractMissing extends Error {
  override readonly name = 'ContractMissing'

  constructor(address: string, networkId: string) {
    super(`there is no contract at ${address} on ${networkId}`)
  }
}

/**
 * Checks the node's chain and contract (REG-02). Following a node on another chain would list and unlist the wrong agents.
 *
 * @throws {Error} when the node is on another chain
 * @throws {ContractMissing} when the chain is right and the contract does not exist
 */
export async function checkContractChain({ rpc, network }: ChainParts, address: string): Promise<void> {
  const chainId = readQuantity(await rpc.call('eth_chainId', []), 'eth_chainId')
  if (chainId !== network.chainId) {
    throw new Error(`the node is on chain ${chainId}, the platform on ${network.id}`)
  }
  const code = await rpc.call('eth_getCode', [address, 'latest'])
  if (typeof code !== 'string' || code.length <= 2) throw new ContractMissing(address, network.id)
}

/** The number of the newest block. */
export async function readHeadNumber({ rpc }: Pick<ChainParts, 'rpc'>): Promise<number> {
  return readQuantity(await rpc.call('eth_blockNumber', []), 'eth_blockNumber')
}

/** A block of the current chain; `undefined` when the node has no block of this number. */
export async function readBlock(
  { rpc }: Pick<ChainParts, 'rpc'>,
  blockNumber: number | 'latest',
): Promise<BlockRead | undefined> {
  const place = blockNumber === 'latest' ? blockNumber : toQuantity(blockNumber)
  const block = await rpc.call('eth_getBlockByNumber', [place, false])
  if (block === null || block === undefined) return undefined
  const { hash, timestamp } = fieldsOf(block)
  if (typeof hash !== 'string') throw new Error('eth_getBlockByNumber: the node answered no block')
  return { hash: hash.toLowerCase(), atMs: readQuantity(timestamp, 'timestamp') * 1_000 }
}

/**
 * A contract's logs in these blocks, both ends included, in order. Logs of another contract or other blocks, which a node
 * should not return, are dropped.
 */
export async function readLogs(
  parts: Pick<ChainParts, 'rpc'>,
  { address, topics }: LogFilter,
  fromBlock: number,
  toBlock: number,
): Promise<readonly ContractLog[]> {
  const filter = { address, topics, fromBlock: toQuantity(fromBlock), toBlock: toQuantity(toBlock) }
  const answer = await parts.rpc.call('eth_getLogs', [filter])
  if (!Array.isArray(answer)) throw new Error('eth_getLogs: the node answered no list')
  const logs = answer
    .flatMap((entry: unknown) => readLog(entry, address))
    .filter(({ blockNumber }) => blockNumber >= fromBlock && blockNumber <= toBlock)
    .sort((one, other) => one.blockNumber - other.blockNumber || one.logIndex - other.logIndex)
  const times = await readTimes(parts, logs)
  return logs.map(log => ({ ...log, blockAtMs: times.get(log.blockNumber) ?? 0 }))
}

/** The times of the logs' blocks; requested only for logs that the node returned without a time. */
async function readTimes(
  parts: Pick<ChainParts, 'rpc'>,
  logs: readonly NodeLog[],
): Promise<ReadonlyMap<number, number>> {
  const times = new Map<number, number>()
  for (const { blockNumber, blockAtMs } of logs)
    if (blockAtMs !== undefined) times.set(blockNumber, blockAtMs)
  const unknown = [...new Set(logs.map(log => log.blockNumber))].filter(block => !times.has(block))
  if (unknown.length > MAX_BLOCKS_ASKED_FOR) throw new TooManyBlocks(unknown.length)
  for (let start = 0; start < unknown.length; start += AT_ONCE) {
    const batch = unknown.slice(start, start + AT_ONCE)
    const blocks = await Promise.all(batch.map(blockNumber => readExisting(parts, blockNumber)))
    batch.forEach((blockNumber, index) => times.set(blockNumber, blocks[index]?.atMs ?? 0))
  }
  return times
}

async function readExisting(parts: Pick<ChainParts, 'rpc'>, blockNumber: number): Promise<BlockRead> {
  const block = await readBlock(parts, blockNumber)
  if (block === undefined)
    throw new Error(`the node answered logs of block ${blockNumber} and has no such block`)
  return block
}

interface NodeLog extends Omit<ContractLog, 'blockAtMs'> {
  /** Newer nodes include it in each log. */
  readonly blockAtMs: number | undefined
}

function readLog(entry: unknown, contractAddress: string): readonly NodeLog[] {
  const fields = fieldsOf(entry)
  const { address, topics, data, blockNumber, logIndex, transactionHash, removed, blockTimestamp } = fields
  const isOurs = typeof address === 'string' && address.toLowerCase() === contractAddress
  if (!isOurs || removed === true) return []
  if (!Array.isArray(topics) || !topics.every(isHex) || !isHex(data) || !isHex(transactionHash)) {
    throw new Error('eth_getLogs: the node answered a log that is none')
  }
  return [
    {
      blockNumber: readQuantity(blockNumber, 'blockNumber'),
      logIndex: readQuantity(logIndex, 'logIndex'),
      topics,
      data,
      transaction: transactionHash.toLowerCase(),
      blockAtMs:
        blockTimestamp === undefined ? undefined : readQuantity(blockTimestamp, 'blockTimestamp') * 1_000,
    },
  ]
}

function isHex(value: unknown): value is `0x${string}` {
  return typeof value === 'string' && /^0x[0-9a-f]*$/i.test(value)
}

function readQuantity(value: unknown, what: string): number {
  const number = typeof value === 'string' && /^0x[0-9a-f]{1,13}$/i.test(value) ? Number(value) : Number.NaN
  if (!Number.isSafeInteger(number)) throw new Error(`${what}: the node answered no quantity`)
  return number
}

function toQuantity(blockNumber: number): string {
  return `0x${blockNumber.toString(16)}`
}

function fieldsOf(value: unknown): { readonly [key: string]: unknown } {
  // Safe: the node's answer may be anything, but only properties with documented names are read, and each is checked.
  return typeof value === 'object' && value !== null ? (value as { readonly [key: string]: unknown }) : {}
}
