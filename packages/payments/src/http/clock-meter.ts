/** A time that somebody else told in an answer of theirs, by HTTP's `Date` header. */
export interface ReportedTime {
  /** Theirs, Unix milliseconds, cut down to whole seconds. */
  readonly theirsMs: number
  /** Our clock when the request was sent, and when its answer began. */
  readonly sentMs: number
  readonly receivedMs: number
}

/** Our clock held against somebody else's. */
export interface ClockMeter {
  hear(told: ReportedTime): void
  /**
   * By how many seconds our clock is ahead of theirs for certain; negative where it is behind, 0 where it may be right.
   */
  aheadSeconds(): number
  /** The same by the last answer alone: a sign, and no more. */
  lastSeconds(): number
}

/** From here on a difference is named: more than latency, whole seconds and ordinary drift come to. */
export const NAMED_SKEW_SECONDS = 5
/** From here on nobody may be told anything by our clock: as far as a block's time may be ahead of it. */
export const UNUSABLE_SKEW_SECONDS = 30

const WHOLE_SECOND_MS = 1_000

/**
 * Makes a meter. However slow the network is, their clock was read between our request and their answer: what lies between
 * the two proves nothing. A difference counts when two answers in a row show it, and as much as the smaller.
 *
 * @example
 * ```ts
 * import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
 * import { createClockMeter, describeSkew } from '@farebox/payments/http/clock-meter'
 *
 * const meter = createClockMeter()
 * const dates = { nowMs: Date.now, hear: meter.hear }
 * const rpc = createJsonRpc('https://sepolia.base.org', { dates })
 * await rpc.call('eth_chainId', [])
 * await rpc.call('eth_blockNumber', [])
 * console.log(describeSkew(meter.aheadSeconds(), "the node's") ?? 'the clocks agree')
 * await rpc.close()
 * ```
 */
export function createClockMeter(): ClockMeter {
  let [last, beforeLast] = [0, 0]
  return {
    hear(told) {
      beforeLast = last
      last = certainSkew(told)
    },
    aheadSeconds() {
      const smaller = Math.min(Math.abs(last), Math.abs(beforeLast)) / 1_000
      return Math.sign(last) === Math.sign(beforeLast) ? Math.sign(last) * smaller : 0
    },
    lastSeconds: () => last / 1_000,
  }
}

function certainSkew({ theirsMs, sentMs, receivedMs }: ReportedTime): number {
  const leastMs = sentMs - theirsMs - WHOLE_SECOND_MS
  const mostMs = receivedMs - theirsMs
  if (leastMs > 0) return leastMs
  return mostMs < 0 ? mostMs : 0
}

/** In words for a log or `/ready`: `is 300 s ahead of the node's`; undefined where it is not worth a word. */
export function describeSkew(aheadSeconds: number, whose: string): string | undefined {
  if (Math.abs(aheadSeconds) < NAMED_SKEW_SECONDS) return undefined
  const side = aheadSeconds > 0 ? 'ahead of' : 'behind'
  return `our clock is ${Math.round(Math.abs(aheadSeconds))} s ${side} ${whose}`
}
