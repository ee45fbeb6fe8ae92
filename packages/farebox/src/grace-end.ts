import { createActiveSet, type Placed } from './active-set.ts'

/** The end of a stop's grace period: after it the agent waits for no job, and answers those that still run (D32). */
export interface GraceEnd {
  /**
   * Calls back when the grace period ends, or at once when it has ended. The returned function cancels the callback.
   */
  on(callback: () => void): () => void
  /** Ends the grace period now. */
  make(): void
}

/**
 * Makes a {@link GraceEnd}. It uses plain functions, because each job listens and AbortSignals cost several times as
 * much.
 */
export function createGraceEnd(): GraceEnd {
  const listeners = createActiveSet<Placed & { readonly callback: () => void }>()
  let isMade = false
  return {
    on(callback) {
      const listener = { callback, place: -1 }
      if (isMade) callback()
      else listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    make() {
      isMade = true
      for (const { callback } of listeners.takeAll()) callback()
    },
  }
}
