/** A remote server's time, from the `Date` header of its response. */
export interface ReportedTime {
  /** The server's time, Unix milliseconds, truncated to whole seconds. */
  readonly theirsMs: number
  /** Our clock when the request was sent, and when the response began. */
  readonly sentMs: number
  readonly receivedMs: number
}

/** Compares our clock with a remote one. */
export interface ClockMeter {
  hear(told: ReportedTime): void
  /** Seconds by which our clock is certainly ahead of the remote one; negative when it is behind, 0 when it may be right. */
  aheadSeconds(): number
  /** The same from the last response alone: an indication, not a proof. */
  lastSeconds(): number
}

/** A difference from this size on is reported: it exceeds latency, truncation to seconds and ordinary drift. */
export const NAMED_SKEW_SECONDS = 5
/** From this difference on our clock must not be used for decisions: it equals the most that a block's time may be ahead. */
export const UNUSABLE_SKEW_SECONDS = 30

const WHOLE_SECOND_MS = 1_000

/**
 * Creates a meter. Whatever the latency, the remote clock was read between the request and the response: a time within that
 * interval proves nothing. A difference counts when two consecutive responses show it, with the smaller of the two values.
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

/** A phrase for a log or `/ready`: `is 300 s ahead of the node's`; undefined for a difference too small to report. */
export function describeSkew(aheadSeconds: number, whose: string): string | undefined {
  if (Math.abs(aheadSeconds) < NAMED_SKEW_SECONDS) return undefined
  const side = aheadSeconds > 0 ? 'ahead of' : 'behind'
  return `our clock is ${Math.round(Math.abs(aheadSeconds))} s ${side} ${whose}`
}
