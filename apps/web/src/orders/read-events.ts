import { connectionOf } from '@farebox/client/exchange/client-options'
import { streamEvents, type StreamedEvent } from '@farebox/client/internal/exchange/event-stream'

/**
 * Reads the events of a path of this platform, with the session of this browser. Ends when the server ends the stream;
 * throws when there is no stream, and when the stream is interrupted or stalls.
 */
export function readEvents(
  path: string,
  options: {
    readonly headers: { readonly [name: string]: string }
    readonly lastId: string | undefined
    readonly signal: AbortSignal
    readonly method?: 'GET' | 'POST'
    readonly body?: unknown
  },
): AsyncGenerator<StreamedEvent> {
  const { headers, lastId, signal, method, body } = options
  const connection = connectionOf({
    signal,
    // The session is a cookie of this origin, so it is sent with the request.
    fetch: (url, init) => fetch(url, { ...init, credentials: 'same-origin' }),
  })
  const sent =
    body === undefined
      ? { headers }
      : { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) }
  return streamEvents(connection, { url: path, lastId, ...(method !== undefined && { method }), ...sent })
}
