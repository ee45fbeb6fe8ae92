import { url as debuggerUrl } from 'node:inspector'
import { startThread } from '../start-thread.ts'

/** The data that the thread gets at its start. */
export interface LoopWatchData {
  /** A counter that increases while the process handles events. */
  readonly beats: Int32Array
  /** The process is ended after this many seconds without an event. */
  readonly limitSeconds: number
  readonly format: 'text' | 'json'
}

const BEAT_EVERY_MS = 500
/** A handler that computes for a while must not end the process, however short its deadline is. */
const LEAST_LIMIT_SECONDS = 10
/** The time in which a job that ended at its deadline is answered and settled. */
const AFTER_DEADLINE_SECONDS = 5

/**
 * Ends the process when its event loop is blocked: while a handler never awaits, nothing else runs, not even signal
 * handlers, so that only SIGKILL could end the agent. A thread detects the block, reports it after a few seconds, and
 * ends the process `max_deadline_seconds` plus five seconds after the last event (at least 15 seconds), when no job can
 * be delivered any more. Saved responses are settled at the next start.
 *
 * Does nothing while a debugger is attached, because it may pause the process for any time.
 */
export function watchLoop({
  maxDeadlineSeconds,
  format,
}: {
  readonly maxDeadlineSeconds: number
  readonly format: 'text' | 'json'
}): void {
  if (debuggerUrl() !== undefined) return
  const beats = new Int32Array(new SharedArrayBuffer(4))
  setInterval(() => Atomics.add(beats, 0, 1), BEAT_EVERY_MS).unref()
  const limitSeconds = Math.max(maxDeadlineSeconds, LEAST_LIMIT_SECONDS) + AFTER_DEADLINE_SECONDS
  const workerData: LoopWatchData = { beats, limitSeconds, format }
  // Without the thread the agent still works.
  startThread(import.meta.resolve('#built/loop-watch/loop-thread'), { workerData }).on(
    'error',
    () => undefined,
  )
}
