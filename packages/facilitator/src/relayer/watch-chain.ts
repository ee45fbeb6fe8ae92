import { BlockFromFuture } from '@farebox/payments/chain/block-time'
import { describeSkew, UNUSABLE_SKEW_SECONDS } from '@farebox/payments/http/clock-meter'
import { sleep, type Clock } from '@farebox/protocol/time/clock'
import { describeError } from '@farebox/server/log'
import { createBlockPace } from '../chain/block-pace.ts'
import type { Header, KnownChain } from '../chain/known-chain.ts'
import { shareCalls } from '../share-calls.ts'
import { canPayFrom, inspectPurse, type GasMoney, type PurseParts } from './inspect-purse.ts'

/** The state of the chain and of the relayers' gas money, a few seconds old at most. */
export interface ChainWatch {
  /** Unix seconds: our clock or the chain's head, whichever is later; the head at most half a minute later. */
  chainNow(): number
  /** A block of this time was seen. */
  sawBlock(seconds: number): void
  /** Our clock minus the time of the newest block that was seen: it grows while the node is silent. */
  lagSeconds(): number
  /** Milliseconds from one block to the next. */
  blockMs(): number
  /** Has this account, lower-case address, gas money for a transaction with so many payments? */
  canPay(relayer: string, payments: number): boolean
  /** Why payments cannot be settled now; undefined where they can. */
  unusable(): string | undefined
  /** How often blocks were seen to be replaced: another number than before tells that what was seen between may not hold. */
  reorganisations(): number
  /** Our clock's difference from the node's, or from the times of its blocks, in words; undefined where there is none. */
  skew(): string | undefined
  /**
   * Asks whether the node is still on the chain we know, and looks again where that is in doubt: what is about to be
   * written down by its word. Rejects where it is not, or where nobody knows.
   */
  confirmChain(): Promise<void>
  /** A receipt of this block was believed: its settlements are revisited where the block is replaced. */
  noteBlock(block: { readonly number: bigint; readonly hash: string }): void
  close(): Promise<void>
}

/** The dependencies of the watch. */
export interface ChainWatchParts extends PurseParts {
  readonly chain: KnownChain
  readonly clock: Clock
  /** By how much our clock is ahead of the node's, by what its answers tell; 0 where they tell nothing. */
  readonly aheadOfNodeSeconds: () => number
  /** Blocks from this number on were replaced. */
  readonly onReorganised: (from: bigint) => void
}

/** As often as the fastest of our public chains that has seconds between its blocks makes one. */
const LOOK_MS = 2_000
/** The gas money is inspected with every third check. */
const LOOKS_A_PURSE = 3
/** Longer than any node is behind. */
const HEAD_COUNTS_MS = 600_000
const UNREACHABLE = 'the chain cannot be reached'

/** The state of the watch, as of its last check. */
interface Watched {
  readonly head: HeadTime
  readonly pace: ReturnType<typeof createBlockPace>
  readonly skews: ReturnType<typeof createSkewWatch>
  /** Why the node cannot be used; undefined where it can. */
  node: string | undefined
  purse: GasMoney
  skew: string | undefined
  reorganisations: number
}

/** Checks once, then every few seconds until closed. */
export async function watchChain(parts: ChainWatchParts): Promise<ChainWatch> {
  const { clock, chain } = parts
  const closing = new AbortController()
  const watched: Watched = {
    head: createHeadTime(clock),
    pace: createBlockPace(),
    skews: createSkewWatch(parts),
    node: undefined,
    purse: { left: new Map(), unusable: undefined },
    skew: undefined,
    reorganisations: 0,
  }
  const confirmChain = shareCalls(async () => {
    if (watched.node === undefined && (await chain.hasNewest()) === true) return
    await lookAtChain(parts, watched)
    if (watched.node !== undefined) throw new Error(watched.node)
  })
  await lookAtChain(parts, watched)
  await lookAtPurse(parts, watched)
  const looking = keepLooking(parts, watched, closing.signal)
  return {
    chainNow: () => watched.head.chainNow(),
    sawBlock: seconds => watched.head.saw(seconds),
    lagSeconds: () => watched.head.lagSeconds(),
    blockMs: () => watched.pace.blockMs(),
    canPay: (relayer, payments) => canPayFrom(watched.purse, relayer, payments),
    unusable: () => watched.node ?? watched.purse.unusable,
    reorganisations: () => watched.reorganisations,
    skew: () => watched.skew,
    confirmChain: () => confirmChain(undefined),
    noteBlock: block => chain.note(block),
    async close() {
      closing.abort()
      await looking
    },
  }
}

async function keepLooking(parts: ChainWatchParts, watched: Watched, closing: AbortSignal): Promise<void> {
  for (let looks = 1; !closing.aborted; looks += 1) {
    await sleep(parts.clock, LOOK_MS, closing)
    if (!closing.aborted) await lookAtChain(parts, watched)
    if (!closing.aborted && looks % LOOKS_A_PURSE === 0) await lookAtPurse(parts, watched)
  }
}

/** The time of the newest block that was seen. */
interface HeadTime extends Pick<ChainWatch, 'chainNow' | 'lagSeconds'> {
  /** A block of this time was seen, in Unix seconds. */
  saw(seconds: number): void
}

function createHeadTime(clock: Clock): HeadTime {
  let [headSeconds, headSeenMs] = [0, 0]
  return {
    saw(seconds) {
      const nowMs = clock.nowMs()
      // A node may be behind another, so the newest time counts; but one that was wrong must not count for good.
      if (seconds < headSeconds && nowMs - headSeenMs < HEAD_COUNTS_MS) return
      headSeconds = seconds
      headSeenMs = nowMs
    },
    chainNow: () => Math.max(headSeconds, Math.floor(clock.nowMs() / 1_000)),
    lagSeconds: () => (headSeconds === 0 ? 0 : clock.nowMs() / 1_000 - headSeconds),
  }
}

async function lookAtChain(parts: ChainWatchParts, watched: Watched): Promise<void> {
  const { skews } = watched
  const before = watched.node
  skews.begin()
  let node = await inspectChain(parts, watched)
  const said = skews.describe()
  if (said !== undefined && watched.skew === undefined) parts.log.warn('clocks differ', { said })
  watched.skew = said
  node ??= skews.isUnusable() ? said : undefined
  watched.node = node
  if (before !== node) logChange(parts, before, node)
}

async function lookAtPurse(parts: ChainWatchParts, watched: Watched): Promise<void> {
  try {
    watched.purse = await inspectPurse(parts)
  } catch (error) {
    watched.purse = { ...watched.purse, unusable: UNREACHABLE }
    parts.log.warn('cannot reach the chain', { error: describeError(error) })
  }
}

/** The fault of the node, in words; undefined where there is none. */
async function inspectChain(
  { chain, log, metrics, onReorganised }: ChainWatchParts,
  watched: Watched,
): Promise<string | undefined> {
  try {
    const look = await chain.look()
    if (look.kind === 'other-chain') return look.why
    watched.head.saw(look.head.seconds)
    watched.pace.saw(look.head)
    watched.skews.saw(look.head, look.kind === 'same' && look.isNew)
    if (look.kind === 'reorganised') {
      const { from, head } = look
      metrics.reorganisations.inc()
      log.warn('the chain was reorganised; rechecking settlements in the replaced blocks', {
        from,
        blocks: head.number >= from ? head.number - from + 1n : 0n,
      })
      watched.reorganisations += 1
      onReorganised(from)
    }
    return undefined
  } catch (error) {
    if (error instanceof BlockFromFuture) return error.message
    log.warn('cannot reach the chain', { error: describeError(error) })
    return UNREACHABLE
  }
}

/** Blocks reach us so late at most, where all is well: a slot of Ethereum, and its way through the network. */
const BLOCK_LATE_SECONDS = 15

/**
 * Our clock against the node's: by the dates of its answers, and by blocks. A block that was not there at the look before
 * was made after it; where its time is long before that look, our clock is ahead, or the node behind the others. An idle
 * chain, whose newest block is old, shows nothing of that.
 */
function createSkewWatch({ clock, aheadOfNodeSeconds }: ChainWatchParts) {
  let [lookMs, beforeMs] = [0, 0]
  let aheadOfBlocks = 0
  return {
    begin() {
      beforeMs = lookMs
      lookMs = clock.nowMs()
    },
    saw({ seconds }: Header, isNew: boolean) {
      if (isNew && beforeMs > 0) aheadOfBlocks = beforeMs / 1_000 - seconds - BLOCK_LATE_SECONDS
    },
    describe(): string | undefined {
      return (
        describeSkew(aheadOfNodeSeconds(), "the node's") ??
        (aheadOfBlocks > 0
          ? `${describeSkew(aheadOfBlocks + BLOCK_LATE_SECONDS, 'the blocks that come')}`
          : undefined)
      )
    },
    isUnusable: (): boolean =>
      Math.abs(aheadOfNodeSeconds()) > UNUSABLE_SKEW_SECONDS ||
      aheadOfBlocks > UNUSABLE_SKEW_SECONDS - BLOCK_LATE_SECONDS,
  }
}

/** Logged once, not with every look. */
function logChange({ log }: ChainWatchParts, before: string | undefined, now: string | undefined): void {
  if (now === undefined) log.info('the node is usable again', { was: before })
  else if (now !== UNREACHABLE)
    log.error('the node is unusable: no payments are accepted, and its answers are not recorded', {
      reason: now,
    })
}
