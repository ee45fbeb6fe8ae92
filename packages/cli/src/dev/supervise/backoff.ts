/** How long to wait before the next try. */
export interface Backoff {
  /** Each delay is longer than the one before, until {@link Backoff.reset}. */
  nextMs(atMs: number): number
  reset(): void
}

const DELAYS_MS = [0, 250, 1_000, 2_000, 4_000, 8_000] as const
/** What went well for so long starts anew. */
const FORGET_AFTER_MS = 10_000

/** The first try is at once: most trouble happens once. */
export function createBackoff(): Backoff {
  let tries = 0
  let lastMs = Number.NEGATIVE_INFINITY
  return {
    nextMs(atMs) {
      if (atMs - lastMs > FORGET_AFTER_MS) tries = 0
      lastMs = atMs
      const delayMs = DELAYS_MS[Math.min(tries, DELAYS_MS.length - 1)] ?? 0
      tries += 1
      return delayMs
    },
    reset() {
      tries = 0
    },
  }
}
