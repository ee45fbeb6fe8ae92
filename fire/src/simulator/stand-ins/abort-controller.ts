// Stands in for the web's `AbortController`, whose real one, an `EventTarget`, costs more than most of what it
// ends. The name is called with `new`, and what a constructor returns takes the place of what it was to make.

/** What our packages use of a signal. */
interface LightSignal {
  aborted: boolean
  reason: unknown
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
  throwIfAborted(): void
}

/** Makes a signal, and what aborts it. */
export function AbortController(): { readonly signal: LightSignal; abort(reason?: unknown): void } {
  let listeners: Set<() => void> | undefined
  const signal: LightSignal = {
    aborted: false,
    reason: undefined,
    addEventListener(_type, listener) {
      // One that comes late is never told, as with the real one; and whoever is told is told once in any case.
      if (!signal.aborted) (listeners ??= new Set()).add(listener)
    },
    removeEventListener: (_type, listener) => void listeners?.delete(listener),
    throwIfAborted() {
      if (signal.aborted) throw signal.reason
    },
  }
  return {
    signal,
    abort(reason = ABORTED) {
      if (signal.aborted) return
      signal.aborted = true
      signal.reason = reason
      for (const tell of listeners ?? []) tell()
      listeners = undefined
    },
  }
}

/** One for all: nobody looks at more than its name. */
const ABORTED = new DOMException('This operation was aborted', 'AbortError')
