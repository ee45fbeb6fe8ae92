import {
  createClockMeter,
  describeSkew,
  UNUSABLE_SKEW_SECONDS,
  type ReportedTime,
} from '@farebox/payments/http/clock-meter'
import type { Clock } from '@farebox/protocol/time/clock'
import type { Log } from '@farebox/server/log'
import type { ClockSkew } from '../platform-parts.ts'

/** Compares the platform's clock with its node's, using the dates of responses that are received anyway. */
export interface NodeClock {
  readonly nowMs: () => number
  /** Records the time that the node reported in a response. */
  readonly hear: (told: ReportedTime) => void
  /** Undefined while the clocks agree within five seconds. */
  skew(): ClockSkew | undefined
}

/** Creates the comparison; it logs when the clocks begin to differ and when they agree again. */
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
        log.warn('clocks differ: orders are signed and checked by this clock', { said })
      if (said === undefined && named !== undefined) log.info('clocks agree again', { was: named })
      named = said
    },
    skew,
  }
}
