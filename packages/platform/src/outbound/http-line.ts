import { Client } from 'undici'
import type { OpenConnection } from './open-connection.ts'
import type { Target } from './address/judge-url.ts'
import { OutboundFailure } from './address/outbound-failure.ts'

/** One HTTP/1.1 connection that sends one request after the other. It never reconnects. */
export interface HttpLine {
  /** Calls of the same key may share the connection. */
  readonly key: string
  readonly address: string
  readonly client: Client
  /** Bytes received from the untrusted host since the connection was made, including framing. */
  bytesReceived(): number
  /** Whether another request may be sent. */
  isOpen(): boolean
  /** Whether a request found the connection closed before any of its bytes was written. */
  wasLostUnused(): boolean
  /** Sets the listener that is called when the connection ends, replacing any previous one. */
  tellWhenClosed(listener: () => void): void
  close(): void
}

/** Maximum bytes of the names and values in one header or trailer section of an untrusted host. */
const MAX_HEADER_BYTES = 16 * 1_024

/**
 * How long an unused connection is kept: shorter than usual servers keep it, so that the host does not close it first.
 */
const KEEP_ALIVE_MS = 1_500

/** undici's own limit. It is above every limit of the platform, which is enforced separately for each call. */
const UNDICI_MAX_BODY_BYTES = 16 * 1_024 * 1_024

/** Creates an undici client on a connection that the platform opened and judged; the client cannot open one itself. */
export function createHttpLine(target: Target, connection: OpenConnection): HttpLine {
  let handedOver = false
  let lostUnused = false
  let open = true
  let tellClosed = (): void => undefined
  const client = new Client(target.origin, {
    connect: (_options, callback) => {
      if (!handedOver) {
        handedOver = true
        // The callback is deferred because undici loses its queue when it is called synchronously.
        queueMicrotask(() => callback(null, connection.socket))
        return
      }
      // undici connects a second time only for a request that it has not begun to write.
      lostUnused = true
      queueMicrotask(() =>
        callback(new OutboundFailure('unreachable', 'the kept connection was closed'), null),
      )
    },
    pipelining: 1,
    maxHeaderSize: MAX_HEADER_BYTES,
    maxResponseSize: UNDICI_MAX_BODY_BYTES,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    // One deadline covers the whole call; these timeouts would only limit the time between two bytes.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  client.once('disconnect', () => {
    open = false
    tellClosed()
  })
  return {
    key: lineKey(target),
    address: connection.address,
    client,
    bytesReceived: () => connection.socket.bytesRead,
    isOpen: () => open && !connection.socket.destroyed,
    wasLostUnused: () => lostUnused,
    tellWhenClosed(listener) {
      tellClosed = listener
    },
    close() {
      open = false
      connection.socket.destroy()
      void client.destroy().catch(() => undefined)
    },
  }
}

/**
 * The calls that may share a connection: those to one origin, apart from calls that may not go to a private network
 * (D54).
 */
export function lineKey({ origin, isPrivate }: Pick<Target, 'origin' | 'isPrivate'>): string {
  return isPrivate === 'no' ? origin : `${origin} private`
}
