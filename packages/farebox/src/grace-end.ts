import { createActiveSet, type Placed } from './active-set.ts'

/** The moment in a stop after which nothing is waited for any more: what still runs is answered now (D32). */
export interface GraceEnd {
  /** Calls back at that moment, or now where it has passed; unless the returned function is called before. */
  on(callback: () => void): () => void
  /** That moment is now. */
  make(): void
}

/** Makes one that was not made yet. Plain functions, because each job listens: signals cost several times as much. */
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
