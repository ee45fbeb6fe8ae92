/** One value that others follow. */
export interface Signal<T> {
  read(): T
  set(value: T): void
  /** Calls back after each change; returns what ends it. */
  subscribe(tell: () => void): () => void
}

/** Makes a signal with a first value. */
export function createSignal<T>(first: T): Signal<T> {
  let value = first
  const listeners = new Set<() => void>()
  return {
    read: () => value,
    set(next) {
      value = next
      for (const tell of listeners) tell()
    },
    subscribe(tell) {
      listeners.add(tell)
      return () => listeners.delete(tell)
    },
  }
}
