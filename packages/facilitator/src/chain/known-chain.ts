import { BlockFromFuture, plausibleBlockTime } from '@farebox/payments/chain/block-time'
import { JsonRpcError, type JsonRpc } from '@farebox/payments/chain/json-rpc'
import type { Network } from '@farebox/payments/networks'
import { nowSeconds, type Clock } from '@farebox/protocol/time/clock'

/** The header of a block. */
export interface Header {
  readonly number: bigint
  /** Unix seconds. */
  readonly seconds: number
  readonly hash: string
}

/** The result of comparing the node's chain with the blocks seen before. */
export type ChainCheck =
  /** All blocks seen before are still there; `isNew` when the head is higher than any of them. */
  | { readonly kind: 'same'; readonly head: Header; readonly isNew: boolean }
  /** Blocks from this number on were replaced by others. */
  | { readonly kind: 'reorganised'; readonly head: Header; readonly from: bigint }
  /** The node is on another chain than before; `why` describes the difference. */
  | { readonly kind: 'other-chain'; readonly why: string }

/** Recognises a chain by the blocks seen so far. */
export interface KnownChain {
  /**
   * Reads the node's chain once. Rejects when the node gives no answer, and with `BlockFromFuture` for a head in the future.
   */
  look(): Promise<ChainCheck>
  /**
   * Does the node still have the newest block that was seen? A cheap check before the node's answers are recorded. Undefined
   * when the node has no block of that number: it may be behind.
   */
  hasNewest(): Promise<boolean | undefined>
  /** Remembers a block that was not seen as the head: if it is replaced before the next `look`, that `look` finds out. */
  note(block: Pick<Header, 'number' | 'hash'>): void
}

/** Chain id and first block are read at this interval, after a failure, and when a block seen before is missing. */
const IDENTITY_MS = 30_000
/** How long heads are remembered: reorganisations that reach further back are not recognised as such. */
const REMEMBERED_MS = 600_000
/** If none of the remembered heads is left, this many blocks before them may be gone too. */
const BEFORE_REMEMBERED = 128n

interface SeenHead {
  readonly number: bigint
  readonly hash: string
  readonly atMs: number
}

/** The node, and what is remembered of its chain. */
interface ChainMemory {
  readonly rpc: JsonRpc
  readonly network: Network
  readonly clock: Clock
  /** Ascending by number; each was the head once and, as far as known, still is part of the chain. */
  heads: readonly SeenHead[]
  firstHash: string | undefined
  /** When chain id and first block are read again. */
  identifyAtMs: number
}

/** Creates the memory of a chain's heads; sends no request yet. */
export function createKnownChain(rpc: JsonRpc, network: Network, clock: Clock): KnownChain {
  const memory: ChainMemory = { rpc, network, clock, heads: [], firstHash: undefined, identifyAtMs: 0 }
  return {
    async look() {
      try {
        return await checkNode(memory)
      } catch (error) {
        // After a broken connection or a clock jump, another node may be answering.
        if (!(error instanceof BlockFromFuture)) memory.identifyAtMs = 0
        throw error
      }
    },
    note: block => remember(memory, block),
    async hasNewest() {
      const newest = memory.heads.at(-1)
      return newest === undefined ? undefined : await isThere(rpc, newest)
    },
  }
}

async function checkNode(memory: ChainMemory): Promise<ChainCheck> {
  const { rpc, clock } = memory
  if (clock.nowMs() >= memory.identifyAtMs) {
    const wrong = await identify(memory)
    if (wrong !== undefined) {
      memory.identifyAtMs = 0
      return { kind: 'other-chain', why: wrong }
    }
  }
  const head = await findHeader(rpc, 'latest')
  if (head === undefined) throw new JsonRpcError('eth_getBlockByNumber', 0, 'the node gave no block', head)
  plausibleBlockTime(head.seconds, nowSeconds(clock))
  const newest = memory.heads.findLast(({ number }) => number <= head.number)
  if (newest !== undefined) {
    const kept = newest.number === head.number ? newest.hash === head.hash : await isThere(rpc, newest)
    if (kept === false) return await reorganise(memory, head)
  }
  const isNew = newest === memory.heads.at(-1) && newest?.number !== head.number
  remember(memory, head)
  return { kind: 'same', head, isNew }
}

/**
 * Checks that the chain is the network's and the same as before. Returns a description of the mismatch, undefined if there
 * is none.
 */
async function identify(memory: ChainMemory): Promise<string | undefined> {
  const { rpc, network, clock } = memory
  const chainId = Number(await rpc.call('eth_chainId', []))
  if (chainId !== network.chainId)
    return `the node is on chain ${chainId}, not on ${network.chainId} (${network.name})`
  const first = await findHeader(rpc, '0x0')
  memory.firstHash ??= first?.hash
  if (first !== undefined && first.hash !== memory.firstHash)
    return `the node is on another chain of the same id: its first block is ${first.hash}, it was ${memory.firstHash}`
  memory.identifyAtMs = clock.nowMs() + IDENTITY_MS
  return undefined
}

/** Handles a missing head: finds the last remembered one that is left, and forgets those after it. */
async function reorganise(memory: ChainMemory, head: Header): Promise<ChainCheck> {
  const wrong = await identify(memory)
  if (wrong !== undefined) return { kind: 'other-chain', why: wrong }
  const kept = await countKept(memory)
  const { heads } = memory
  const [oldest, newest] = [heads[0], heads.at(-1)]
  const last = heads[kept - 1]
  if (last !== undefined) {
    memory.heads = heads.slice(0, kept)
    remember(memory, head)
    return { kind: 'reorganised', head, from: last.number + 1n }
  }
  const seconds = ((newest?.atMs ?? 0) - (oldest?.atMs ?? 0)) / 1_000
  if (seconds > memory.network.finalitySeconds) {
    const why = `the node shows another chain: none of the ${heads.length} blocks seen in ${Math.round(seconds)} s is on it`
    return { kind: 'other-chain', why }
  }
  const from = (oldest?.number ?? head.number) - BEFORE_REMEMBERED
  memory.heads = []
  remember(memory, head)
  return { kind: 'reorganised', head, from: from > 0n ? from : 0n }
}

/** How many of the remembered heads, counted from the oldest, are still part of the chain. */
async function countKept(memory: ChainMemory): Promise<number> {
  let [kept, gone] = [0, memory.heads.length]
  while (kept < gone) {
    const middle = Math.floor((kept + gone) / 2)
    const seen = memory.heads[middle]
    if (seen !== undefined && (await isThere(memory.rpc, seen)) === true) kept = middle + 1
    else gone = middle
  }
  return kept
}

/** Is this block still part of the node's chain? Undefined when the node has no block of that number. */
async function isThere(rpc: JsonRpc, seen: SeenHead): Promise<boolean | undefined> {
  const header = await findHeader(rpc, toQuantity(seen.number))
  return header && header.hash === seen.hash
}

function remember(memory: ChainMemory, { number, hash }: Pick<Header, 'number' | 'hash'>): void {
  const { heads } = memory
  const nowMs = memory.clock.nowMs()
  const newest = heads.at(-1)
  if (newest !== undefined && newest.number >= number) return
  // An idle chain has old heads only, so the newest is always kept.
  memory.heads = [
    ...heads.filter(({ atMs }) => nowMs - atMs < REMEMBERED_MS),
    { number, hash: hash.toLowerCase(), atMs: nowMs },
  ]
}

/** Undefined when the node has no such block. */
async function findHeader(rpc: JsonRpc, block: string): Promise<Header | undefined> {
  const header = await rpc.call('eth_getBlockByNumber', [block, false])
  if (typeof header !== 'object' || header === null) return undefined
  const { number, timestamp, hash } = header as { readonly [key: string]: unknown }
  if (typeof number !== 'string' || typeof timestamp !== 'string' || typeof hash !== 'string')
    return undefined
  return { number: BigInt(number), seconds: Number(timestamp), hash: hash.toLowerCase() }
}

function toQuantity(number: bigint): string {
  return `0x${number.toString(16)}`
}
