import { BlockFromFuture } from '@farebox/payments/chain/block-time'
import { describeSkew, UNUSABLE_SKEW_SECONDS } from '@farebox/payments/http/clock-meter'
import { sleep, type Clock } from '@farebox/protocol/time/clock'
import { describeError } from '@farebox/server/log'
import { createBlockPace } from '../chain/block-pace.ts'
import type { Header, KnownChain } from '../chain/known-chain.ts'
import { shareCalls } from '../share-calls.ts'
import { canPayFrom, inspectPurse, type GasMoney, type PurseParts } from './inspect-purse.ts'

/** The state of the chain and of the relayers' gas money, at most a few seconds old. */
export interface ChainWatch {
  /** Unix seconds: our clock or the chain's head, whichever is later, but at most half a minute ahead of our clock. */
  chainNow(): number
  /** Reports that a block of this time was seen, Unix seconds. */
  sawBlock(seconds: number): void
  /** Our clock minus the time of the newest block that was seen: grows while the node gives no answer. */
  lagSeconds(): number
  /** Milliseconds from one block to the next. */
  blockMs(): number
  /** Can this account, lower-case address, pay for a transaction with this many payments? */
  canPay(relayer: string, payments: number): boolean
  /** Why payments cannot be settled now; undefined when they can. */
  unusable(): string | undefined
  /** How often a reorganisation was seen: if the number changed, earlier observations may no longer hold. */
  reorganisations(): number
  /**
   * A description of the difference between our clock and the node's, or the times of its blocks; undefined when there is
   * none.
   */
  skew(): string | undefined
  /**
   * Checks that the node is still on the known chain before its answers are recorded; looks again when in doubt. Rejects
   * when it is not, or when that is unknown.
   */
  confirmChain(): Promise<void>
  /** Reports that a receipt of this block was accepted: its settlements are checked again if the block is replaced. */
  noteBlock(block: { readonly number: bigint; readonly hash: string }): void
  close(): Promise<void>
}

/** The dependencies of the watch. */
export interface ChainWatchParts extends PurseParts {
  readonly chain: KnownChain
  readonly clock: Clock
  /** Seconds by which our clock is ahead of the node's, measured from its responses; 0 if that is unknown. */
  readonly aheadOfNodeSeconds: () => number
  /** Called when blocks from this number on were replaced. */
  readonly onReorganised: (from: bigint) => void
}

/** The block interval of the fastest supported public chain whose blocks are seconds apart. */
const LOOK_MS = 2_000
/** The gas money is inspected at every third check. */
const LOOKS_A_PURSE = 3
/** Longer than any node is behind. */
const HEAD_COUNTS_MS = 600_000
const UNREACHABLE = 'the chain cannot be reached'

/** The result of the last check. */
interface Watched {
  readonly head: HeadTime
  readonly pace: ReturnType<typeof createBlockPace>
  readonly skews: ReturnType<typeof createSkewWatch>
  /** Why the node cannot be used; undefined when it can. */
  node: string | undefined
  purse: GasMoney
  skew: string | undefined
  reorganisations: number
}

/** Looks at the chain once, then every few seconds until closed. */
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
  /** Reports a block of this time, in Unix seconds. */
  saw(seconds: number): void
}

function createHeadTime(clock: Clock): HeadTime {
  let [headSeconds, headSeenMs] = [0, 0]
  return {
    saw(seconds) {
      const nowMs = clock.nowMs()
      // The newest time counts, because one node may be behind another; but a time that was wrong must not count for good.
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

/** Why the node cannot be used; undefined when it can. */
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

/** The longest delay of a block on its way to us under normal conditions: a slot of Ethereum, and its propagation. */
const BLOCK_LATE_SECONDS = 15

/**
 * Compares our clock with the node's, by the dates of its responses and by blocks. A block that was absent at the previous
 * look was made after it; if its time is long before that look, our clock is ahead, or the node is behind the network. An
 * idle chain, whose newest block is old, reveals nothing about the clock.
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

/** Logged when the state changes, not at every check. */
function logChange({ log }: ChainWatchParts, before: string | undefined, now: string | undefined): void {
  if (now === undefined) log.info('the node is usable again', { was: before })
  else if (now !== UNREACHABLE)
    log.error('the node is unusable: no payments are accepted, and its answers are not recorded', {
      reason: now,
    })
}
