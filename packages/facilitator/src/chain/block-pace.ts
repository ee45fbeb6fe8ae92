import type { Header } from './known-chain.ts'

/** How fast blocks come, by those that were seen. */
export interface BlockPace {
  saw(head: Pick<Header, 'number' | 'seconds'>): void
  /** Milliseconds from one block to the next, on the average of the last heads. */
  blockMs(): number
}

/** The pace until two blocks were seen, and of a chain without one: that of Base. */
const UNKNOWN_BLOCK_MS = 2_000
/** No public chain is faster: it is one that makes a block for each transaction. */
const FASTEST_BLOCK_MS = 100
/** Nor slower: one that rested. */
const SLOWEST_BLOCK_MS = 12_000
/** Of a look every two seconds; with fewer, a chain of half a second a block would be known by steps of a second. */
const HEADS = 8

/** Measures the pace of a chain by the numbers and times of its heads. */
export function createBlockPace(): BlockPace {
  let heads: readonly Pick<Header, 'number' | 'seconds'>[] = []
  return {
    saw(head) {
      const newest = heads.at(-1)
      if (newest?.number === head.number) return
      // After a reorganisation, or behind another node, what was seen before says nothing.
      const before = newest !== undefined && newest.number > head.number ? [] : heads
      heads = [...before, head].slice(-HEADS)
    },
    blockMs() {
      const [oldest, newest] = [heads[0], heads.at(-1)]
      if (oldest === undefined || newest === undefined || oldest === newest) return UNKNOWN_BLOCK_MS
      const ms = ((newest.seconds - oldest.seconds) * 1_000) / Number(newest.number - oldest.number)
      return ms < FASTEST_BLOCK_MS ? UNKNOWN_BLOCK_MS : Math.min(SLOWEST_BLOCK_MS, ms)
    },
  }
}
