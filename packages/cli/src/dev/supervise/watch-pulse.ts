import type { Clock } from 'farebox'

/** Whether somebody still answers. */
export interface Pulse {
  heard(): void
  stop(): void
}

const ASK_EVERY_MS = 1_000
/** A handler that computes for a while is no trouble; one that never comes back is. */
const SILENT_AFTER = 5

/**
 * Asks every second and tells once when several questions in a row were not answered. Questions are counted, not
 * time: after a laptop's sleep nobody has been silent.
 */
export function watchPulse(
  clock: Clock,
  between: { readonly ask: () => void; readonly silent: (silentMs: number) => void },
): Pulse {
  let unanswered = 0
  let cancel = (): void => undefined
  const tick = (): void => {
    if (unanswered >= SILENT_AFTER) return between.silent(unanswered * ASK_EVERY_MS)
    unanswered += 1
    between.ask()
    cancel = clock.after(ASK_EVERY_MS, tick)
  }
  cancel = clock.after(ASK_EVERY_MS, tick)
  return {
    heard() {
      unanswered = 0
    },
    stop: () => cancel(),
  }
}
