import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'

/** Bytes on the wire for a byte of body. */
const CHUNK = '1\r\na\r\n'
const CHUNKS_A_WRITE = 10_000
/** How long the sender waits for a reader that has stopped reading. */
const STALLED_MS = 2_000

/** A body in one-byte chunks that never ends. */
export interface Drip {
  readonly chunks: number
  /**
   * Sends each byte in its own packet, so that none is read together with its neighbours; otherwise at the reader's
   * speed.
   */
  readonly apart: boolean
}

/**
 * Starts a request or an answer whose body is sent in one-byte chunks and never ends. Resolves, when all is sent or the
 * reader stops, to the number of body bytes passed to the network.
 *
 * @param head the lines before the body
 */
export async function drip(
  socket: Socket,
  head: readonly string[],
  { chunks, apart }: Drip,
): Promise<number> {
  socket.on('error', () => undefined)
  socket.setNoDelay(true)
  // Received bytes are discarded.
  socket.resume()
  const lines = [...head, 'Content-Type: application/json', 'Transfer-Encoding: chunked']
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  const most = apart ? 1 : CHUNKS_A_WRITE
  const write = Buffer.from(CHUNK.repeat(most))
  let sent = 0
  while (sent < chunks && !socket.destroyed) {
    if (apart) await nextTurn()
    const count = Math.min(chunks - sent, most)
    if (!socket.write(write.subarray(0, count * CHUNK.length)) && !(await isDrained(socket))) break
    sent += count
  }
  return sent
}

/** False if the connection was closed, or the reader took nothing for a while. */
async function isDrained(socket: Socket): Promise<boolean> {
  const over = new AbortController()
  const { signal } = over
  try {
    return await Promise.race([
      once(socket, 'drain', { signal }).then(() => true),
      once(socket, 'close', { signal }).then(() => false),
      delay(STALLED_MS, false, { signal }),
    ])
  } catch {
    return false
  } finally {
    over.abort()
  }
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
