import type { Clock } from '@farebox/protocol/time/clock'
import { OutboundFailure } from './address/outbound-failure.ts'

/** The deadline of a call. */
export interface CallDeadline {
  /** Aborts at the deadline, or when a signal it was created with aborts; the reason is an `OutboundFailure`. */
  readonly signal: AbortSignal
  /** Cancels the timer and removes the listeners. The caller must call it when the work is done. */
  stop(): void
}

/** Starts a deadline `timeoutMs` from now by `clock`; it ends earlier when one of `signals` aborts. */
export function startDeadline(
  clock: Clock,
  timeoutMs: number,
  signals: readonly (AbortSignal | undefined)[],
): CallDeadline {
  const over = new AbortController()
  const stops = signals.map(signal => follow(over, signal))
  const cancel = clock.after(timeoutMs, () =>
    over.abort(new OutboundFailure('too-slow', `not over within ${timeoutMs} ms`)),
  )
  return {
    signal: over.signal,
    stop() {
      for (const stop of stops) stop()
      cancel()
    },
  }
}

/** `AbortSignal.any` is not used because it would keep every call in memory as long as the longest-lived signal. */
function follow(over: AbortController, signal: AbortSignal | undefined): () => void {
  if (signal === undefined) return () => undefined
  const abort = (): void => over.abort(asFailure(signal.reason))
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  return () => signal.removeEventListener('abort', abort)
}

function asFailure(reason: unknown): OutboundFailure {
  return reason instanceof OutboundFailure
    ? reason
    : new OutboundFailure('too-slow', 'given up by its caller')
}
