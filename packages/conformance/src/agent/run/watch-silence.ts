/** The meaning of a check without any response. */
export type Silence =
  /** Not known yet; the next checks decide. */
  | 'open'
  /** A finding of the check itself: the agent responds otherwise. */
  | 'its own'
  /** The agent no longer responds. */
  | 'gone'
  /** The agent responds, but the run would take too long. */
  | 'slow'

/** Distinguishes an agent that hangs or has ended from one that does not respond to individual requests. */
export interface SilenceWatch {
  /** Reports that a check got a response. */
  answered(): void
  /** Reports that a check got none after a time. `isLast`: no further check follows that could decide. */
  unanswered(waitedMs: number, isLast: boolean): Promise<Silence>
}

/** After this many checks in a row without any response, the agent is probed. */
const IN_A_ROW = 3
/** The total number of timeouts after which the run ends. */
const TIMEOUTS_BORNE = 8

/**
 * Creates a watch.
 *
 * @param isThere probes whether the agent responds; rejects when it does not
 */
export function watchSilence(options: {
  readonly timeoutMs: number
  readonly isThere: () => Promise<unknown>
}): SilenceWatch {
  const { timeoutMs, isThere } = options
  let inARow = 0
  let waitedInVainMs = 0
  return {
    answered() {
      inARow = 0
    },
    async unanswered(waitedMs, isLast) {
      inARow += 1
      // A job may take longer than a check waits; that does not count against the agent.
      waitedInVainMs += Math.min(waitedMs, timeoutMs)
      if (inARow < IN_A_ROW && !isLast) return 'open'
      inARow = 0
      const isAlive = await isThere().then(
        () => true,
        () => false,
      )
      if (!isAlive) return 'gone'
      return waitedInVainMs >= TIMEOUTS_BORNE * timeoutMs && !isLast ? 'slow' : 'its own'
    },
  }
}
