import type { Clock } from '@farebox/protocol/time/clock'

/** The share of a job's remaining time that one hire gets. Milliseconds. */
export interface HireTime {
  /** The most time that the hired agent may work. */
  readonly workMs: number
  /** Unix time; a payment signed later would leave the hired job too little time. */
  readonly signBeforeMs: number
  /** Unix time after which the answer is not awaited any more. */
  readonly waitUntilMs: number
}

const LEAST_LEFT_MS = 1_500
const MOST_LEFT_MS = 15_000
const LEAST_WORK_MS = 1_000

/**
 * Shares out the time until the parent's deadline. A quarter of it, 1.5 to 15 s, is reserved for the price request, for
 * the hired agent's settlement, and for the parent's own work on the output. Undefined when too little time is left.
 */
export function shareTime(deadlineMs: number, nowMs: number): HireTime | undefined {
  const leftMs = deadlineMs - nowMs
  const keptBackMs = Math.min(MOST_LEFT_MS, Math.max(LEAST_LEFT_MS, leftMs / 4))
  const workMs = leftMs - keptBackMs
  if (workMs < LEAST_WORK_MS) return undefined
  const signBeforeMs = nowMs + keptBackMs / 2
  return { workMs, signBeforeMs, waitUntilMs: deadlineMs - keptBackMs / 3 }
}

/** A signal that aborts with a job or at a time. */
export interface HireStop {
  readonly signal: AbortSignal
  /** Whether the time, not the job, caused the abort. */
  isLate(): boolean
  end(): void
}

/** Makes a {@link HireStop}; `atMs` is in Unix milliseconds. */
export function stopAt(clock: Clock, atMs: number, jobSignal: AbortSignal): HireStop {
  const aborter = new AbortController()
  let late = false
  const stop = (): void => aborter.abort(jobSignal.reason)
  const cancel = clock.after(Math.max(0, atMs - clock.nowMs()), () => {
    late = true
    aborter.abort(new Error('the time for this hire is over'))
  })
  if (jobSignal.aborted) stop()
  else jobSignal.addEventListener('abort', stop, { once: true })
  return {
    signal: aborter.signal,
    isLate: () => late,
    end() {
      cancel()
      jobSignal.removeEventListener('abort', stop)
    },
  }
}
