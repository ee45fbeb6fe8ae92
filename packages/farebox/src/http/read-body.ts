import type { IncomingMessage } from 'node:http'
import { createBodyMemory, type Reservation } from '@farebox/protocol/internal/body/body-memory'
import { readNodeStream, type UnreadBody } from '@farebox/protocol/internal/body/read-node-stream'
import { LARGE_BODY_BYTES, MAX_BODY_BYTES } from '@farebox/protocol/limits'

/** The body, or the reason why there is none. `gone`: the caller disconnected while sending, and gets no response. */
export type ReadBody = Buffer | UnreadBody

/** Reads the bodies of one server's requests. */
export interface BodyReader {
  read(request: IncomingMessage): Promise<ReadBody>
  /** Frees the memory reserved for this body; call it when the request has been answered. */
  release(body: Buffer): void
}

/**
 * The most memory for large bodies that are being received, and again for large bodies of requests that are not
 * answered yet.
 */
const MOST_BYTES = 64 * MAX_BODY_BYTES

/** Makes the body reader of one server. */
export function createBodyReader(): BodyReader {
  const arriving = createBodyMemory(MOST_BYTES)
  const unanswered = createBodyMemory(MOST_BYTES)
  const reserved = new Map<Buffer, Reservation>()
  return {
    async read(request) {
      if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return 'too large'
      const { hasRoom, leave } = arriving.reserve()
      const body = await readNodeStream(request, { maxBytes: MAX_BODY_BYTES, hasRoom })
      leave()
      if (typeof body === 'string') return body
      const read = asBuffer(body)
      if (read.length <= LARGE_BODY_BYTES) return read
      const reservation = unanswered.reserve()
      if (!reservation.hasRoom(read.length)) return 'no room'
      reserved.set(read, reservation)
      return read
    },
    release(body) {
      if (body.length <= LARGE_BODY_BYTES) return
      reserved.get(body)?.leave()
      reserved.delete(body)
    },
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
