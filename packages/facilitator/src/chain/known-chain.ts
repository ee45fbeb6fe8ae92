import { BlockFromFuture, plausibleBlockTime } from '@farebox/payments/chain/block-time'
import { JsonRpcError, type JsonRpc } from '@farebox/payments/chain/json-rpc'
import type { Network } from '@farebox/payments/networks'
import { nowSeconds, type Clock } from '@farebox/protocol/time/clock'

/** A block as its header says. */
export interface Header {
  readonly number: bigint
  /** Unix seconds. */
  readonly seconds: number
  readonly hash: string
}

/** The chain as the node shows it now, compared with the blocks seen before. */
export type ChainCheck =
  /** The blocks seen before are where they were; `isNew` where the head is higher than any of them. */
  | { readonly kind: 'same'; readonly head: Header; readonly isNew: boolean }
  /** Blocks from this number on were replaced by others. */
  | { readonly kind: 'reorganised'; readonly head: Header; readonly from: bigint }
  /** It is not the chain that was seen before, in words. */
  | { readonly kind: 'other-chain'; readonly why: string }

/** The chain as it was seen so far, by which it is recognised. */
export interface KnownChain {
  /** Looks at the node once. Rejects when it gives no answer, with `BlockFromFuture` where its head is one. */
  look(): Promise<ChainCheck>
  /**
   * Does the node still have the newest block that was seen? A cheap question, put before what it says is written down.
   * Undefined where it gives no such block: it may be behind.
   */
  hasNewest(): Promise<boolean | undefined>
  /** A block was shown otherwise than as the head: if it is replaced before the next look, that look sees it. */
  note(block: Pick<Header, 'number' | 'hash'>): void
}

/** Id and first block are asked for so often, after a failure, and where a block seen before is not there. */
const IDENTITY_MS = 30_000
/** Heads are remembered for so long: past it no reorganisation is taken for one. */
const REMEMBERED_MS = 600_000
/** If not one of the remembered heads is left, blocks before them may be gone too. */
const BEFORE_REMEMBERED = 128n

interface SeenHead {
  readonly number: bigint
  readonly hash: string
  readonly atMs: number
}

/** The node, and what is remembered of the chain that it showed. */
interface ChainMemory {
  readonly rpc: JsonRpc
  readonly network: Network
  readonly clock: Clock
  /** Ascending by number; each was the head at some time and, as far as we know, still is part of the chain. */
  heads: readonly SeenHead[]
  firstHash: string | undefined
  /** When id and first block are asked for again. */
  identifyAtMs: number
}

/** Remembers the heads of a chain. Nothing is asked yet. */
export function createKnownChain(rpc: JsonRpc, network: Network, clock: Clock): KnownChain {
  const memory: ChainMemory = { rpc, network, clock, heads: [], firstHash: undefined, identifyAtMs: 0 }
  return {
    async look() {
      try {
        return await checkNode(memory)
      } catch (error) {
        // Behind a connection that broke, or a clock that jumped, there may be another node.
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

/** Is it the chain of the network, and the same one as before? Returns what is wrong, undefined where nothing is. */
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

/** A head seen before is gone: finds the last one that is left, and forgets those after it. */
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

/** How many of the remembered heads, from the oldest on, are still part of the chain. */
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

/** Is this block still part of the node's chain? Undefined where the node has none of that number. */
async function isThere(rpc: JsonRpc, seen: SeenHead): Promise<boolean | undefined> {
  const header = await findHeader(rpc, toQuantity(seen.number))
  return header && header.hash === seen.hash
}

function remember(memory: ChainMemory, { number, hash }: Pick<Header, 'number' | 'hash'>): void {
  const { heads } = memory
  const nowMs = memory.clock.nowMs()
  const newest = heads.at(-1)
  if (newest !== undefined && newest.number >= number) return
  // An idle chain has old heads only: the newest is always worth remembering.
  memory.heads = [
    ...heads.filter(({ atMs }) => nowMs - atMs < REMEMBERED_MS),
    { number, hash: hash.toLowerCase(), atMs: nowMs },
  ]
}

/** Undefined where the node has no such block. */
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
