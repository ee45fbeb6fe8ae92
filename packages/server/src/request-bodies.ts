import type { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { createBodyMemory } from '@farebox/protocol/internal/body/body-memory'
import { readNodeStream, type UnreadBody } from '@farebox/protocol/internal/body/read-node-stream'

/** The bodies of one server's requests. */
export interface RequestBodies {
  /**
   * Begins to take in a body, if the request has one. To be called at once, before anything is waited for: a request
   * that nobody reads keeps a Buffer for each piece that has come. Nothing is parsed, and a request that is answered
   * before its body is whole loses its connection.
   */
  begin(request: IncomingMessage, response: ServerResponse, maxBytes: number): void
  /** The body that was begun, whole; or why there is none. Once: it is not kept. Never rejects. */
  read(request: IncomingMessage): Promise<Uint8Array | UnreadBody>
  /** Whether a request's body is still on its way. */
  isArriving(request: IncomingMessage): boolean
}

/** Of bodies above 64 KiB on their way at once. */
const MOST_BYTES_ON_THEIR_WAY = 64 * 1_048_576

/** Makes the reader of one server's request bodies. */
export function createRequestBodies(): RequestBodies {
  const room = createBodyMemory(MOST_BYTES_ON_THEIR_WAY)
  const begun = new WeakMap<IncomingMessage, Promise<Uint8Array | UnreadBody>>()
  const arriving = new WeakSet<IncomingMessage>()
  return {
    begin(request, response, maxBytes) {
      const { headers } = request
      const announced = Number(headers['content-length'] ?? 0)
      if (headers['transfer-encoding'] === undefined && !(announced > 0)) return
      arriving.add(request)
      request.once('end', () => arriving.delete(request))
      response.once('finish', () => {
        // What was not read must not be waited for. A request that was injected has no real socket.
        if (arriving.has(request) && request.socket instanceof Socket) request.socket.destroySoon()
      })
      const { hasRoom, leave } = room.reserve()
      const reading = readNodeStream(request, { maxBytes: announced > maxBytes ? 0 : maxBytes, hasRoom })
      begun.set(request, announced > maxBytes ? Promise.resolve('too large') : reading)
      void reading.then(leave)
    },
    read(request) {
      const reading = begun.get(request) ?? Promise.resolve(new Uint8Array())
      // A request lives until it is answered, which its body need not.
      begun.delete(request)
      return reading
    },
    isArriving: request => arriving.has(request),
  }
}
