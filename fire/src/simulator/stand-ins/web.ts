// Replaces the web's `AbortController`, `Response` and streams, whose real versions cost more than the jobs. The names
// are called with `new`, which returns the result of its constructor.

/** The parts of a signal that our packages use. */
interface LightSignal {
  aborted: boolean
  reason: unknown
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
  throwIfAborted(): void
}

/** Creates a signal, and the function that aborts it. */
export function AbortController(): { readonly signal: LightSignal; abort(reason?: unknown): void } {
  let listeners: Set<() => void> | undefined
  const signal: LightSignal = {
    aborted: false,
    reason: undefined,
    addEventListener(_type, listener) {
      // As with the real one, a listener that is added late is never called, and the others are called once.
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

/** One for all, because only its name is read. */
const ABORTED = new DOMException('This operation was aborted', 'AbortError')

/** The parts of a body that our packages use: a stream that already has its only chunk. */
export function webBody(content: string | Uint8Array) {
  const cancel = (): Promise<void> => Promise.resolve()
  return {
    cancel,
    getReader() {
      let read = false
      return {
        cancel,
        read() {
          if (read) return Promise.resolve({ done: true })
          read = true
          const value = typeof content === 'string' ? Buffer.from(content, 'utf8') : content
          return Promise.resolve({ done: false, value })
        },
      }
    },
  }
}

/** Creates the parts of a response that our packages use, from a text or from bytes. */
export function Response(
  content: string | Uint8Array | null,
  init: { readonly status: number; readonly headers: { readonly [name: string]: string } },
) {
  const headers = new Map(Object.entries(init.headers).map(([name, value]) => [name.toLowerCase(), value]))
  return {
    status: init.status,
    type: 'default' as const,
    headers: {
      get: (name: string) => headers.get(name.toLowerCase()) ?? null,
      has: (name: string) => headers.has(name.toLowerCase()),
    },
    body: content === null ? null : webBody(content),
    text: () => Promise.resolve(Buffer.from(content ?? '').toString('utf8')),
  }
}
