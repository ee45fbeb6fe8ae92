/** What a check without any answer means. */
export type Silence =
  /** Nothing yet: the next ones tell. */
  | 'open'
  /** The check's own finding: the agent is there. */
  | 'its own'
  /** Nobody is there any more. */
  | 'gone'
  /** It is there, but waiting on would take for ever. */
  | 'slow'

/** Tells an agent that hangs or has ended from one that leaves single questions unanswered. */
export interface SilenceWatch {
  /** A check got an answer. */
  answered(): void
  /** A check got none, after so long. `isLast`: nothing comes after it that could tell. */
  unanswered(waitedMs: number, isLast: boolean): Promise<Silence>
}

/** So many checks without any answer in a row, and it is asked whether the agent is there. */
const IN_A_ROW = 3
/** So many time-outs are waited for in all. */
const TIMEOUTS_BORNE = 8

/**
 * Makes one.
 *
 * @param isThere asks the agent for a sign of life; rejects where there is none
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
      // A job may take longer than a check waits; that is not held against the agent.
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
