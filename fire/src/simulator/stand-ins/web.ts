// Stands in for the web's `AbortController`, `Response` and streams, whose real ones cost more than the jobs they serve. The
// names are called with `new`, which returns what its constructor returns.

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

/** One for all: nobody looks at more than its name. */
const ABORTED = new DOMException('This operation was aborted', 'AbortError')

/** What our packages use of the body of a request or response: a stream that has its one piece already. */
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

/** Makes what our packages use of a response, of a text or of bytes. */
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
