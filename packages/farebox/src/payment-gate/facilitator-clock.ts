import { createClockMeter, NAMED_SKEW_SECONDS, type ReportedTime } from '@farebox/payments/http/clock-meter'
import type { Clock } from '@farebox/protocol/time/clock'
import type { Log } from '../log.ts'

/** This agent's clock held against its facilitator's, by the dates of the answers that come anyway. */
export interface FacilitatorClock {
  readonly nowMs: () => number
  /** An answer of the facilitator had its time. */
  readonly hear: (reported: ReportedTime) => void
  /**
   * By how many seconds our clock is ahead of theirs, by the last answer; negative behind, 0 where it is less than the
   * network and whole seconds explain.
   */
  aheadSeconds(): number
}

/**
 * Makes it, and says in the log when the clocks begin to differ and when that is over. The log waits for a second answer
 * that says the same; judging payments does not (see `judge-clocks.ts`), because there a doubt costs a retry.
 */
export function createFacilitatorClock(clock: Clock, log: Log): FacilitatorClock {
  const meter = createClockMeter()
  let isNamed = false
  const tell = (): void => {
    const ahead = meter.aheadSeconds()
    const differs = Math.abs(ahead) >= NAMED_SKEW_SECONDS
    // Over only when two answers say so: a facilitator of several machines may have one that is off.
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
