import { sleep, type Clock, type StopSignal } from './clock.ts'

/** How work is repeated. */
export interface Repetition {
  /** Pause between the end of one pass and the start of the next; 0: the next starts at once. */
  readonly everyMs: number
  /** Stops the repetition: no further pass starts, and a pause ends at once. */
  readonly signal: StopSignal
  /** Called with the error of a failed pass; the next pass follows after the same pause. */
  readonly onFailure: (error: unknown) => void
}

/** Runs the work at once, and again after each pause, until the signal aborts. Never rejects. */
export async function repeat(
  clock: Pick<Clock, 'after'>,
  { everyMs, signal, onFailure }: Repetition,
  work: () => Promise<unknown>,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await work()
    } catch (error) {
      onFailure(error)
    }
    if (everyMs > 0) await sleep(clock, everyMs, signal)
  }
}
