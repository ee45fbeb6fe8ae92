import { url as debuggerUrl } from 'node:inspector'
import { startThread } from '../start-thread.ts'

/** What the thread is given when it starts. */
export interface LoopWatchData {
  /** Counts up while the process handles events. */
  readonly beats: Int32Array
  /** The process is ended when it has handled none for so long. */
  readonly limitSeconds: number
  readonly format: 'text' | 'json'
}

const BEAT_EVERY_MS = 500
/** A handler that computes for a while is no reason to end the process, however short its deadline is. */
const LEAST_LIMIT_SECONDS = 10
/** A job that ended at its deadline is answered and settled within this. */
const AFTER_DEADLINE_SECONDS = 5

/**
 * Ends the process when its event loop stands still: a handler that never awaits keeps everything from being done,
 * signals included, so that nothing but SIGKILL could end the agent. A thread sees it, says so after a few seconds, and
 * ends the process `max_deadline_seconds` and five seconds after the last event it handled (15 seconds at least): no job
 * can be delivered then. What was saved is taken up at the next start.
 *
 * Does nothing while a debugger is attached, which may hold the process up for as long as it likes.
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
  // Without the thread the agent serves as before.
  startThread(import.meta.resolve('#built/loop-watch/loop-thread'), { workerData }).on(
    'error',
    () => undefined,
  )
}
