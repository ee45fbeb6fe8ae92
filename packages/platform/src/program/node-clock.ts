import {
  createClockMeter,
  describeSkew,
  UNUSABLE_SKEW_SECONDS,
  type ReportedTime,
} from '@farebox/payments/http/clock-meter'
import type { Clock } from '@farebox/protocol/time/clock'
import type { Log } from '@farebox/server/log'
import type { ClockSkew } from '../platform-parts.ts'

/** This platform's clock held against its node's, by the dates of the answers that come anyway. */
export interface NodeClock {
  readonly nowMs: () => number
  /** An answer of the node had its time. */
  readonly hear: (told: ReportedTime) => void
  /** Undefined where the two agree within five seconds. */
  skew(): ClockSkew | undefined
}

/** Makes it; says in the log when the clocks begin to differ and when that is over. */
export function createNodeClock(clock: Clock, log: Log): NodeClock {
  const meter = createClockMeter()
  let named: string | undefined
  const skew = (): ClockSkew | undefined => {
    const aheadSeconds = meter.aheadSeconds()
    const said = describeSkew(aheadSeconds, "the node's")
    return said === undefined ? undefined : { said, isUnfit: Math.abs(aheadSeconds) > UNUSABLE_SKEW_SECONDS }
  }
  return {
    nowMs: () => clock.nowMs(),
    hear(told) {
      meter.hear(told)
      const said = skew()?.said
      if (said !== undefined && named === undefined)
        log.warn('clocks differ: orders are signed and judged by this clock', { said })
      if (said === undefined && named !== undefined) log.info('clocks agree again', { was: named })
      named = said
    },
    skew,
  }
}
