import type { IncomingMessage, ServerResponse } from 'node:http'
import { createBodyMemory } from '@farebox/protocol/internal/body/body-memory'
import { readNodeStream, type UnreadBody } from '@farebox/protocol/internal/body/read-node-stream'
import { createConnections, type Connections } from '@farebox/protocol/internal/connection/connections'
import { steadyClock } from '@farebox/protocol/time/clock'

/** The bodies of one server's requests, and the connections on which they come. */
export interface RequestBodies {
  /**
   * Begins to take in a body, if the request has one. To be called at once, before anything is waited for: a request
   * that nobody reads keeps a Buffer for each piece that has come. Nothing is parsed. False: the request comes on a
   * connection that is being closed, and must not be served.
   */
  begin(request: IncomingMessage, response: ServerResponse, maxBytes: number): boolean
  /** The body that was begun, whole; or why there is none. Once: it is not kept. Never rejects. */
  read(request: IncomingMessage): Promise<Uint8Array | UnreadBody>
  /**
   * Call it before a request is answered. True: its body is still arriving, so the answer needs `connection: close`; the rest
   * of the body is read and discarded.
   */
  isLast(request: IncomingMessage): boolean
  /** As {@link Connections.refuse}. */
  readonly refuse: Connections['refuse']
}

/** Of bodies above 64 KiB on their way at once. */
const MOST_BYTES_ON_THEIR_WAY = 64 * 1_048_576

/** Makes the reader of one server's request bodies. */
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
      // A request lives until it is answered, which its body need not.
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
