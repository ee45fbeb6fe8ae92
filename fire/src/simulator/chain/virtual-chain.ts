import type { ChainLog } from '@farebox/payments/chain/chain-receipt'
import type { Random } from '../seeded-random.ts'
import type { Trace } from '../history-trace.ts'
import type { Token, TokenCall, TokenState } from './token.ts'

/** A transaction as nodes know it. */
export interface ChainTransaction {
  readonly hash: string
  readonly sender: string
  /** Set for accounts whose nonces matter; others send anything, in any order. */
  readonly nonce: number | undefined
  /** With several calls each may fail alone; a single call that fails makes the transaction fail. */
  readonly calls: readonly TokenCall[]
  readonly maxFeePerGas: bigint
}

export interface MinedTransaction {
  readonly transaction: ChainTransaction
  readonly succeeded: boolean
  readonly logs: readonly ChainLog[]
}

/** A block, with the state after it. */
export interface Block {
  readonly number: number
  readonly seconds: number
  readonly hash: string
  readonly mined: readonly MinedTransaction[]
  readonly state: TokenState
  /** The number of mined transactions of an account. */
  readonly counts: ReadonlyMap<string, number>
}

/** The chain at this moment: blocks are made when it is read. */
export type VirtualChain = ReturnType<typeof createVirtualChain>

interface Pending {
  readonly transaction: ChainTransaction
  readonly fromMs: number
  /** The priority of a transaction among several for one block. */
  readonly rank: number
}

/** A block under construction. */
type Building = { -readonly [key in 'state' | 'counts']: Block[key] } & { readonly mined: MinedTransaction[] }

interface ChainParts {
  readonly nowMs: () => number
  readonly random: Random
  readonly trace: Trace
  readonly token: Token
  readonly state: TokenState
}

export const BLOCK_MS = 2_000

/** Creates a chain with one block of the given state. */
export function createVirtualChain(parts: ChainParts) {
  const { nowMs, random, trace, token } = parts
  const { blocks, pending, places, slotMs, catchUp, replace } = createBlocks(parts)
  const busyBlocks = (): readonly Block[] => {
    catchUp()
    return blocks.filter(({ mined }) => mined.length > 0)
  }
  return {
    /** The newest block, or the one this many blocks before it. */
    head(behind = 0): Block {
      const head = catchUp()
      return behind === 0 ? head : (blocks[Math.max(0, head.number - behind)] ?? head)
    },
    block(number: number): Block | undefined {
      catchUp()
      return blocks[number]
    },
    /** State and counts after all pending transactions, in the order in which nodes would mine them. */
    pending(): Pick<Block, 'state' | 'counts'> {
      const { state, counts } = catchUp()
      const built: Building = { state, counts, mined: [] }
      fill(token, built, [...pending.values()], Math.floor(nowMs() / 1_000))
      return built
    },
    /** Blocks with transactions in them, oldest first. */
    busyBlocks,
    /** Transactions in blocks, oldest first. */
    mined: (): readonly MinedTransaction[] => busyBlocks().flatMap(block => block.mined),
    find(hash: string) {
      catchUp()
      const block = places.get(hash)
      const mined = block?.mined.find(one => one.transaction.hash === hash)
      return block && mined && { mined, block }
    },
    /** Sends a transaction to a node; it may be mined after the given delay. Undefined if it was accepted. */
    submit(transaction: ChainTransaction, delayMs: number): string | undefined {
      const { counts } = catchUp()
      const { hash, sender, nonce, maxFeePerGas } = transaction
      if (pending.has(hash)) return 'already known'
      if (nonce !== undefined) {
        if (nonce < (counts.get(sender) ?? 0)) return 'nonce too low'
        const all = [...pending.values()].map(one => one.transaction)
        const earlier = all.find(one => one.nonce === nonce && one.sender === sender)
        if (earlier !== undefined && maxFeePerGas * 10n < earlier.maxFeePerGas * 11n)
          return 'replacement transaction underpriced'
        if (earlier !== undefined) pending.delete(earlier.hash)
      }
      pending.set(hash, { transaction, fromMs: nowMs() + delayMs, rank: random.next() })
      return undefined
    },
    /** The nodes drop a pending transaction. */
    forget: (hash: string): void => void pending.delete(hash),
    /**
     * Replaces the newest blocks by others; their transactions are pending again after the milliseconds that `returns`
     * gives.
     */
    reorganise(depth: number, returns: (transaction: ChainTransaction) => number | 'forgotten'): void {
      const kept = Math.max(1, catchUp().number + 1 - depth)
      trace.note('chain', () => `blocks from ${kept} on are replaced`)
      for (const { transaction } of replace(kept)) {
        const afterMs = returns(transaction)
        if (afterMs !== 'forgotten')
          pending.set(transaction.hash, { transaction, fromMs: slotMs(kept) + afterMs, rank: random.next() })
      }
      catchUp()
    },
  }
}

/** Makes the blocks of a chain, and resolves waits for one. */
function createBlocks({ nowMs, trace, token, state: first }: ChainParts) {
  const startSlot = Math.floor(nowMs() / BLOCK_MS)
  const blocks: Block[] = []
  const pending = new Map<string, Pending>()
  const places = new Map<string, Block>()
  let forks = 0
  /** The suffix of block hashes: blocks of one fork have the same. */
  let fork = '0'.repeat(56)

  const slotMs = (number: number): number => (startSlot + number) * BLOCK_MS

  const append = (): Block => {
    const number = blocks.length
    const { state = first, counts = new Map<string, number>() } = blocks.at(-1) ?? {}
    const built: Building = { state, counts, mined: [] }
    // Most blocks are empty.
    if (pending.size > 0) {
      const ready = [...pending.values()].filter(one => one.fromMs <= slotMs(number))
      fill(token, built, ready, slotMs(number) / 1_000)
    }
    const hash = `0x${number.toString(16).padStart(8, '0')}${fork}`
    const block: Block = { number, seconds: slotMs(number) / 1_000, hash, ...built }
    blocks.push(block)
    for (const { transaction, succeeded } of built.mined) {
      pending.delete(transaction.hash)
      places.set(transaction.hash, block)
      trace.note('chain', () => `block ${number}: ${describe(transaction)}${succeeded ? '' : ' reverted'}`)
    }
    return block
  }
  let head = append()
  return {
    blocks,
    pending,
    places,
    slotMs,
    /** Makes every block whose time has come. */
    catchUp(): Block {
      const newest = Math.floor(nowMs() / BLOCK_MS) - startSlot
      while (blocks.length <= newest) head = append()
      return head
    },
    /** Removes the blocks from this number on; returns their transactions. */
    replace(from: number): readonly MinedTransaction[] {
      forks += 1
      fork = forks.toString(16).padStart(56, '0')
      const undone = blocks.splice(from).flatMap(block => block.mined)
      for (const { transaction } of undone) places.delete(transaction.hash)
      return undone
    },
  }
}

/** Mines the ready transactions, in the order of their ranks and nonces. */
function fill(token: Token, built: Building, ready: Pending[], seconds: number): void {
  ready.sort((one, other) => one.rank - other.rank)
  // Repeated, because a mined transaction may unblock the next of its account.
  for (let mined = true; mined && ready.length > 0;) {
    const at = ready.findIndex(({ transaction: { nonce, sender } }) => {
      return nonce === undefined || nonce === (built.counts.get(sender) ?? 0)
    })
    mined = at !== -1
    const [next] = mined ? ready.splice(at, 1) : []
    if (next !== undefined) mine(token, built, next.transaction, seconds)
  }
}

function mine(token: Token, built: Building, transaction: ChainTransaction, seconds: number): void {
  const logs: ChainLog[] = []
  let succeeded = true
  for (const call of transaction.calls) {
    const outcome = token.call(built.state, call, seconds)
    if (outcome.ok) {
      built.state = outcome.state
      logs.push(...outcome.logs)
    } else if (transaction.calls.length === 1) succeeded = false
  }
  if (transaction.nonce !== undefined)
    built.counts = new Map(built.counts).set(transaction.sender, transaction.nonce + 1)
  built.mined.push({ transaction, succeeded, logs })
}

function describe({ hash, nonce, calls }: ChainTransaction): string {
  const what = calls.map(call =>
    call.kind === 'pay' ? `pay ${call.authorization.nonce.slice(0, 14)}` : call.kind,
  )
  return `${hash.slice(0, 10)}${nonce === undefined ? '' : ` nonce ${nonce}`}: ${what.join(', ')}`
}
