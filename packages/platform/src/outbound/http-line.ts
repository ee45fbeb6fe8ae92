import { Client } from 'undici'
import type { OpenConnection } from './open-connection.ts'
import { OutboundFailure } from './address/outbound-failure.ts'

/** One connection, spoken HTTP/1.1 over, one request after the other. It is never replaced. */
export interface HttpLine {
  readonly origin: string
  readonly address: string
  readonly client: Client
  /** Bytes that came from the untrusted host since the connection was made, framing included. */
  bytesReceived(): number
  /** Whether another request may be sent. */
  isOpen(): boolean
  /** Whether a request found the connection gone before a byte of it was written. */
  wasLostUnused(): boolean
  /** The last callback counts: it is called when the connection ends. */
  tellWhenClosed(listener: () => void): void
  close(): void
}

/** Header bytes an untrusted host may send (names and values of one head or trailer). */
const MAX_HEADER_BYTES = 16 * 1_024

/** How long an unused connection is kept: less than any usual server keeps it, so that none closes it under us. */
const KEEP_ALIVE_MS = 1_500

/** What undici itself counts to, above every limit of ours: ours are counted for each call. */
const UNDICI_MAX_BODY_BYTES = 16 * 1_024 * 1_024

/** Lets undici speak over a connection that we made and judged; it cannot make one by itself. */
export function createHttpLine(origin: string, connection: OpenConnection): HttpLine {
  let handedOver = false
  let lostUnused = false
  let open = true
  let tellClosed = (): void => undefined
  const client = new Client(origin, {
    connect: (_options, callback) => {
      if (!handedOver) {
        handedOver = true
        // Later, because undici forgets its queue when it is answered at once.
        queueMicrotask(() => callback(null, connection.socket))
        return
      }
      // undici asks a second time only for a request that it has not begun to write.
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
    // One deadline covers the whole call; these would fire between two bytes only.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  client.once('disconnect', () => {
    open = false
    tellClosed()
  })
  return {
    origin,
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
