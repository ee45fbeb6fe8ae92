import type { Clock } from '@farebox/server/clock'

/** Wakes a loop that waits for work; a ring while nobody waits is heard by the next who does. */
export interface Bell {
  ring(): void
  /** Forgets a ring that was not heard. */
  silence(): void
  /** Resolves at the next ring, after so long without one, or when `signal` aborts; never rejects. */
  wait(timeoutMs: number, signal: AbortSignal): Promise<void>
}

/** A reason of our own: without one each abort makes an exception with its stack. */
const HEARD = 'the bell was heard'

/** Makes a bell for one listener. */
export function createBell(clock: Clock): Bell {
  let rung = false
  let heard = new AbortController()
  return {
    ring() {
      rung = true
      heard.abort(HEARD)
    },
    silence() {
      rung = false
    },
    async wait(timeoutMs, signal) {
      if (!rung && !signal.aborted) {
        heard = new AbortController()
        const stop = (): void => heard.abort(HEARD)
        signal.addEventListener('abort', stop, { once: true })
        await clock.sleep(timeoutMs, heard.signal)
        signal.removeEventListener('abort', stop)
      }
      rung = false
    },
  }
}
