import type { Clock } from '@farebox/server/clock'
import type { Log } from '@farebox/server/log'
import { describeError } from '@farebox/server/log'
import type { Metrics } from '../metrics.ts'
import type { ChainReader } from './chain-reader.ts'
import { gasLimit, type Relayer } from './relayer.ts'
import type { RelayerNode } from './relayer-node.ts'

/** What is known of the chain and of the relayer's purse, a few seconds old at most. */
export interface ChainWatch {
  /** Unix seconds: our clock or the chain's head, whichever is later. */
  chainNow(): number
  /** A block of this time was seen. */
  sawBlock(seconds: number): void
  /** Our clock minus the time of the newest block that was seen: it grows while the node is silent. */
  lagSeconds(): number
  /** Why payments cannot be settled now; undefined where they can. */
  unfit(): string | undefined
  close(): Promise<void>
}

/** What the watch looks with. */
export interface WatchParts {
  readonly reader: ChainReader
  readonly node: RelayerNode
  readonly relayer: Relayer
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  readonly maxFeePerGas: bigint
  /** With gas for fewer settlements than this, no new payment is taken. */
  readonly minSettlementsLeft: number
}

const LOOK_MS = 5_000
/** Longer than any node is behind. */
const HEAD_COUNTS_MS = 600_000
/** Below this the log asks for more: an empty purse must not come as a surprise (PAY-32). */
const WARN_SETTLEMENTS_LEFT = 1_000n

const WEI_PER_ETHER = 1e18

/** Looks once, then every few seconds until closed. */
export async function watchChain(parts: WatchParts): Promise<ChainWatch> {
  const { clock } = parts
  const closing = new AbortController()
  let [headSeconds, headSeenMs] = [0, 0]
  const saw = (seconds: number): void => {
    const nowMs = clock.nowMs()
    // A node may be behind another, so the newest time counts; but one that was wrong must not count for good.
    if (seconds < headSeconds && nowMs - headSeenMs < HEAD_COUNTS_MS) return
    headSeconds = seconds
    headSeenMs = nowMs
  }
  let reason: string | undefined
  const look = async (): Promise<void> => {
    try {
      const head = await parts.reader.readHead()
      saw(head.seconds)
      reason = await inspectPurse(parts)
    } catch (error) {
      reason = 'the chain cannot be reached'
      parts.log.warn('chain not reached', { error: describeError(error) })
    }
  }
  await look()
  const looking = (async () => {
    while (!closing.signal.aborted) {
      await clock.sleep(LOOK_MS, closing.signal)
      if (!closing.signal.aborted) await look()
    }
  })()
  return {
    chainNow: () => Math.max(headSeconds, Math.floor(clock.nowMs() / 1_000)),
    sawBlock: saw,
    lagSeconds: () => (headSeconds === 0 ? 0 : clock.nowMs() / 1_000 - headSeconds),
    unfit: () => reason,
    async close() {
      closing.abort()
      await looking
    },
  }
}

async function inspectPurse({
  node,
  relayer,
  log,
  metrics,
  maxFeePerGas,
  minSettlementsLeft,
}: WatchParts): Promise<string | undefined> {
  const [balance, fees] = await Promise.all([node.balance(relayer.address), node.fees()])
  const price = fees.baseFeePerGas + fees.maxPriorityFeePerGas
  const left = balance / (gasLimit(1) * fees.maxFeePerGas)
  metrics.relayerBalanceEther.set(Number(balance) / WEI_PER_ETHER)
  metrics.relayerSettlementsLeft.set(Number(left))
  if (price > maxFeePerGas) {
    log.error('gas costs more than the cap', { price, cap: maxFeePerGas })
    return 'gas costs more than this facilitator pays for it'
  }
  if (left < WARN_SETTLEMENTS_LEFT)
    log.warn('relayer balance is low', { relayer: relayer.address, balance, settlementsLeft: left })
  return left < BigInt(minSettlementsLeft) ? 'the relayer account is out of gas money' : undefined
}
