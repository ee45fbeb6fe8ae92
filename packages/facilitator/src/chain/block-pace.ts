import type { Header } from './known-chain.ts'

/** The block interval of a chain, measured from observed heads. */
export interface BlockPace {
  saw(head: Pick<Header, 'number' | 'seconds'>): void
  /** Average milliseconds between two blocks, over the last heads. */
  blockMs(): number
}

/** Used until two blocks were seen, and for a chain with irregular blocks: the interval of Base. */
const UNKNOWN_BLOCK_MS = 2_000
/** Lower bound: no public chain is faster, only a local one that makes a block for each transaction. */
const FASTEST_BLOCK_MS = 100
/** Upper bound: a longer interval means that the chain was idle. */
const SLOWEST_BLOCK_MS = 12_000
/**
 * Heads in the average, read every two seconds; with fewer, a half-second interval would be measured in steps of a second.
 */
const HEADS = 8

/** Measures the pace of a chain by the numbers and times of its heads. */
export function createBlockPace(): BlockPace {
  let heads: readonly Pick<Header, 'number' | 'seconds'>[] = []
  return {
    saw(head) {
      const newest = heads.at(-1)
      if (newest?.number === head.number) return
      // After a reorganisation, or when another node answers that is behind, earlier heads are meaningless.
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
