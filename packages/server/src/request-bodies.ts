import type { IncomingMessage, ServerResponse } from 'node:http'
import { createBodyMemory } from '@farebox/protocol/internal/body/body-memory'
import { readNodeStream, type UnreadBody } from '@farebox/protocol/internal/body/read-node-stream'
import { createConnections, type Connections } from '@farebox/protocol/internal/connection/connections'
import { steadyClock } from '@farebox/protocol/time/clock'

/** The request bodies of one server, and their connections. */
export interface RequestBodies {
  /**
   * Starts to read a body, if the request has one. Must be called at once, before any wait: an unread request keeps a Buffer
   * for each chunk. Nothing is parsed. False: the connection is being closed, and the request must not be served.
   */
  begin(request: IncomingMessage, response: ServerResponse, maxBytes: number): boolean
  /**
   * The complete body, or the reason why there is none. Can be called once per request: the body is not kept. Never rejects.
   */
  read(request: IncomingMessage): Promise<Uint8Array | UnreadBody>
  /**
   * Call it before a request is answered. True: its body is still arriving, so the response needs `connection: close`; the
   * rest of the body is read and discarded.
   */
  isLast(request: IncomingMessage): boolean
  /** See {@link Connections.refuse}. */
  readonly refuse: Connections['refuse']
}

/** The limit for all bodies above 64 KiB that are being received. */
const MOST_BYTES_ON_THEIR_WAY = 64 * 1_048_576

/** Creates the reader of one server's request bodies. */
export function createRequestBodies(): RequestBodies {
  const room = createBodyMemory(MOST_BYTES_ON_THEIR_WAY)
  const connections = createConnections(steadyClock)
  const begun = new WeakMap<IncomingMessage, Promise<Uint8Array | UnreadBody>>()
  const arriving = new WeakSet<IncomingMessage>()
  return {
    begin(request, response, maxBytes) {
      if (!connections.begin(request, response)) return false
      const { headers } = request
      const announced = Number(headers['content-length'] ?? 0)
      if (headers['transfer-encoding'] === undefined && !(announced > 0)) return true
      arriving.add(request)
      request.once('end', () => arriving.delete(request))
      const { hasRoom, leave } = room.reserve()
      const reading = readNodeStream(request, { maxBytes: announced > maxBytes ? 0 : maxBytes, hasRoom })
      begun.set(request, announced > maxBytes ? Promise.resolve('too large') : reading)
      void reading.then(leave)
      return true
    },
    read(request) {
      const reading = begun.get(request) ?? Promise.resolve(new Uint8Array())
      // The request stays in memory until it is answered, but its body need not.
      begun.delete(request)
      return reading
    },
    isLast(request) {
      if (!arriving.has(request)) return false
      connections.closeGently(request)
      return true
    },
    refuse: connections.refuse,
  }
}
