import type { Clock } from '@farebox/protocol/time/clock'

/** How the time of a job is shared out to one hire. Milliseconds. */
export interface HireTime {
  /** What the hired agent may work at most. */
  readonly workMs: number
  /** Unix: no payment is signed later, or its job would not be over in time. */
  readonly signBeforeMs: number
  /** Unix: nobody waits for an answer after this. */
  readonly waitUntilMs: number
}

const LEAST_LEFT_MS = 1_500
const MOST_LEFT_MS = 15_000
const LEAST_WORK_MS = 1_000

/**
 * Shares out what is left until the parent's deadline. A quarter of it, 1.5 to 15 s, is kept back: for asking the price,
 * for the hired agent's settlement, and for what the parent does with the output. Undefined where too little is left.
 */
export function shareTime(deadlineMs: number, nowMs: number): HireTime | undefined {
  const leftMs = deadlineMs - nowMs
  const keptBackMs = Math.min(MOST_LEFT_MS, Math.max(LEAST_LEFT_MS, leftMs / 4))
  const workMs = leftMs - keptBackMs
  if (workMs < LEAST_WORK_MS) return undefined
  const signBeforeMs = nowMs + keptBackMs / 2
  return { workMs, signBeforeMs, waitUntilMs: deadlineMs - keptBackMs / 3 }
}

/** An end that a job and a time bring about. */
export interface HireStop {
  readonly signal: AbortSignal
  /** It was the time that ended it. */
  isLate(): boolean
  end(): void
}

/** Makes a signal that aborts with the job, and at a time in Unix milliseconds. */
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
