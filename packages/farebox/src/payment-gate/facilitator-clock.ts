import { createClockMeter, NAMED_SKEW_SECONDS, type ReportedTime } from '@farebox/payments/http/clock-meter'
import type { Clock } from '@farebox/protocol/time/clock'
import type { Log } from '../log.ts'

/** Compares the agent's clock with its facilitator's, by the dates of responses that arrive anyway. */
export interface FacilitatorClock {
  readonly nowMs: () => number
  /** Records the date of a response of the facilitator. */
  readonly hear: (reported: ReportedTime) => void
  /**
   * The seconds by which the agent's clock is ahead of the facilitator's, according to the last response; negative when
   * it is behind, 0 when the network and the rounding to whole seconds explain the difference.
   */
  aheadSeconds(): number
}

/**
 * Makes the comparison, and logs when the clocks begin to differ and when they agree again. The log requires a second
 * response that confirms the difference; checks of payments do not (see `clock-doubt.ts`), because there a doubt only
 * costs a retry.
 */
export function createFacilitatorClock(clock: Clock, log: Log): FacilitatorClock {
  const meter = createClockMeter()
  let isNamed = false
  const tell = (): void => {
    const ahead = meter.aheadSeconds()
    const differs = Math.abs(ahead) >= NAMED_SKEW_SECONDS
    // Two responses must confirm that they agree, because one machine of a facilitator may have a wrong clock.
    const isOver = Math.abs(meter.lastSeconds()) < NAMED_SKEW_SECONDS && !differs
    if (differs && !isNamed) {
      isNamed = true
      log.warn(
        `${describeAgentClock(ahead)}: set this machine's clock; jobs that depend on it are answered 503`,
      )
    } else if (isNamed && isOver) {
      isNamed = false
      log.note("this agent's clock agrees with its facilitator's again")
    }
  }
  return {
    nowMs: () => clock.nowMs(),
    hear(reported) {
      meter.hear(reported)
      tell()
    },
    aheadSeconds() {
      const ahead = meter.lastSeconds()
      return Math.abs(ahead) >= NAMED_SKEW_SECONDS ? ahead : 0
    },
  }
}

/** `this agent's clock is 300 s ahead of its facilitator's` */
export function describeAgentClock(aheadSeconds: number): string {
  const side = aheadSeconds > 0 ? 'ahead of' : 'behind'
  return `this agent's clock is ${Math.round(Math.abs(aheadSeconds))} s ${side} its facilitator's`
}
