import { BlockFromFuture } from '@farebox/payments/chain/block-time'
import { describeSkew, UNUSABLE_SKEW_SECONDS } from '@farebox/payments/http/clock-meter'
import { sleep, type Clock } from '@farebox/protocol/time/clock'
import type { Log } from '@farebox/server/log'
import { describeError } from '@farebox/server/log'
import type { Metrics } from '../metrics.ts'
import { createBlockPace } from '../chain/block-pace.ts'
import type { Header, KnownChain } from '../chain/known-chain.ts'
import { shareCalls } from '../share-calls.ts'
import { gasLimit, type Relayer } from './account/relayer-account.ts'
import type { RelayerNode } from './account/relayer-node.ts'

/** What is known of the chain and of the relayers' purses, a few seconds old at most. */
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

/** What the watch looks with. */
export interface WatchParts {
  readonly chain: KnownChain
  readonly node: RelayerNode
  /** The accounts that pay the gas. */
  readonly relayers: readonly Relayer[]
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  readonly maxFeePerGas: bigint
  /** With gas for fewer settlements than this, over all accounts, no new payment is taken. */
  readonly minSettlementsLeft: number
  /** By how much our clock is ahead of the node's, by what its answers tell; 0 where they tell nothing. */
  readonly aheadOfNodeSeconds: () => number
  /** Blocks from this number on were replaced. */
  readonly onReorganised: (from: bigint) => void
}

/** As often as the fastest of our public chains that has seconds between its blocks makes one. */
const LOOK_MS = 2_000
/** The purse is looked at with every third look. */
const LOOKS_A_PURSE = 3
/** Longer than any node is behind. */
const HEAD_COUNTS_MS = 600_000
/** Below this the log asks for more: an empty purse must not come as a surprise (PAY-32). */
const WARN_SETTLEMENTS_LEFT = 1_000n

const WEI_PER_ETHER = 1e18
const UNREACHABLE = 'the chain cannot be reached'

/** Looks once, then every few seconds until closed. */
export async function watchChain(parts: WatchParts): Promise<ChainWatch> {
  const { clock, chain } = parts
  const closing = new AbortController()
  let [headSeconds, headSeenMs] = [0, 0]
  const saw = (seconds: number): void => {
    const nowMs = clock.nowMs()
    // A node may be behind another, so the newest time counts; but one that was wrong must not count for good.
    if (seconds < headSeconds && nowMs - headSeenMs < HEAD_COUNTS_MS) return
    headSeconds = seconds
    headSeenMs = nowMs
  }
  const pace = createBlockPace()
  let node: string | undefined
  let purse: Purse = { left: new Map(), unusable: undefined }
  let skew: string | undefined
  let reorganisations = 0
  const skews = createSkewWatch(parts)
  const onReorganised = (from: bigint): void => {
    reorganisations += 1
    parts.onReorganised(from)
  }
  const lookAtChain = async (): Promise<void> => {
    const before = node
    skews.begin()
    node = await inspectChain({ ...parts, onReorganised }, (head, isNew) => {
      saw(head.seconds)
      pace.saw(head)
      skews.saw(head, isNew)
    })
    const said = skews.describe()
    if (said !== undefined && skew === undefined) parts.log.warn('clocks differ', { said })
    skew = said
    node ??= skews.isUnusable() ? said : undefined
    if (before !== node) tellChange(parts, before, node)
  }
  const lookAtPurse = async (): Promise<void> => {
    try {
      purse = await inspectPurse(parts)
    } catch (error) {
      purse = { ...purse, unusable: UNREACHABLE }
      parts.log.warn('cannot reach the chain', { error: describeError(error) })
    }
  }
  const confirmChain = shareCalls(async () => {
    if (node === undefined && (await chain.hasNewest()) === true) return
    await lookAtChain()
    if (node !== undefined) throw new Error(node)
  })
  await lookAtChain()
  await lookAtPurse()
  const looking = (async () => {
    for (let looks = 1; !closing.signal.aborted; looks += 1) {
      await sleep(clock, LOOK_MS, closing.signal)
      if (!closing.signal.aborted) await lookAtChain()
      if (!closing.signal.aborted && looks % LOOKS_A_PURSE === 0) await lookAtPurse()
    }
  })()
  return {
    chainNow: () => Math.max(headSeconds, Math.floor(clock.nowMs() / 1_000)),
    sawBlock: saw,
    lagSeconds: () => (headSeconds === 0 ? 0 : clock.nowMs() / 1_000 - headSeconds),
    blockMs: () => pace.blockMs(),
    canPay(relayer, payments) {
      const left = purse.left.get(relayer)
      return left === undefined || left * gasLimit(1) >= gasLimit(payments)
    },
    unusable: () => node ?? purse.unusable,
    reorganisations: () => reorganisations,
    skew: () => skew,
    confirmChain: () => confirmChain(undefined),
    noteBlock: block => chain.note(block),
    async close() {
      closing.abort()
      await looking
    },
  }
}

/** What is wrong with the node, in words; undefined where nothing is. */
async function inspectChain(
  { chain, log, metrics, onReorganised }: WatchParts,
  onHead: (head: Header, isNew: boolean) => void,
): Promise<string | undefined> {
  try {
    const look = await chain.look()
    if (look.kind === 'other-chain') return look.why
    onHead(look.head, look.kind === 'same' && look.isNew)
    if (look.kind === 'reorganised') {
      const { from, head } = look
      metrics.reorganisations.inc()
      log.warn('the chain was reorganised; rechecking settlements in the replaced blocks', {
        from,
        blocks: head.number >= from ? head.number - from + 1n : 0n,
      })
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
function createSkewWatch({ clock, aheadOfNodeSeconds }: WatchParts) {
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

/** Said once, not with every look. */
function tellChange({ log }: WatchParts, before: string | undefined, now: string | undefined): void {
  if (now === undefined) log.info('the node is usable again', { was: before })
  else if (now !== UNREACHABLE)
    log.error('the node is unusable: no payments are accepted, and its answers are not recorded', {
      reason: now,
    })
}

/** Gas money. */
interface Purse {
  /** How many settlements each account can pay for, by its address. */
  readonly left: ReadonlyMap<string, bigint>
  /** Why no payment can be taken; undefined where one can. */
  readonly unusable: string | undefined
}

async function inspectPurse({
  node,
  relayers,
  log,
  metrics,
  maxFeePerGas,
  minSettlementsLeft,
}: WatchParts): Promise<Purse> {
  const fees = await node.fees()
  const balances = await Promise.all(relayers.map(({ address }) => node.balance(address)))
  const price = fees.baseFeePerGas + fees.maxPriorityFeePerGas
  const left = new Map<string, bigint>()
  relayers.forEach(({ address: relayer }, index) => {
    const balance = balances[index] ?? 0n
    const settlementsLeft = balance / (gasLimit(1) * fees.maxFeePerGas)
    left.set(relayer, settlementsLeft)
    metrics.relayerBalanceEther.set({ relayer }, Number(balance) / WEI_PER_ETHER)
    metrics.relayerSettlementsLeft.set({ relayer }, Number(settlementsLeft))
    if (settlementsLeft < WARN_SETTLEMENTS_LEFT)
      log.warn('relayer balance is low', { relayer, balance, settlementsLeft })
  })
  if (price > maxFeePerGas) {
    log.error('the gas price is above the cap', { price, cap: maxFeePerGas })
    return { left, unusable: 'the gas price is above this facilitator’s cap' }
  }
  const all = [...left.values()].reduce((sum, one) => sum + one, 0n)
  if (all >= BigInt(minSettlementsLeft)) return { left, unusable: undefined }
  log.error('too little gas money: new payments are refused', { settlementsLeft: all, minSettlementsLeft })
  return { left, unusable: 'the relayer accounts have too little gas money' }
}
