import { sleep, type Clock, type StopSignal } from './clock.ts'

/** How work is repeated. */
export interface Repetition {
  /** From the end of one pass to the start of the next; 0: the next begins at once. */
  readonly everyMs: number
  /** Ends it: no pass is begun any more, and a pause ends at once. */
  readonly signal: StopSignal
  /** Is given what a pass rejected with; the next pass comes after the same pause. */
  readonly onFailure: (error: unknown) => void
}

/** Works at once, and again after each pause, until the signal aborts. Never rejects. */
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
