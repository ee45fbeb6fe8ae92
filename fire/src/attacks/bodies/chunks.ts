import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'

/** Bytes on the wire for a byte of body. */
const CHUNK = '1\r\na\r\n'
const CHUNKS_A_WRITE = 10_000
/** How long a reader that takes nothing more is waited for. */
const STALLED_MS = 2_000

/**
 * Sends so many one-byte chunks of `Transfer-Encoding: chunked`, until nothing more is taken; `onSent` receives how many
 * each write had.
 *
 * @param apart - each in a packet of its own, so that none is read together with its neighbours
 */
export async function sendChunks(
  socket: Socket,
  { chunks, apart = false }: { readonly chunks: number; readonly apart?: boolean },
  onSent: (chunks: number) => void,
): Promise<void> {
  const most = apart ? 1 : CHUNKS_A_WRITE
  const write = Buffer.from(CHUNK.repeat(most))
  for (let left = chunks; left > 0; left -= most) {
    if (socket.destroyed) return
    if (apart) await nextTurn()
    const count = Math.min(left, most)
    if (!socket.write(write.subarray(0, count * CHUNK.length)) && !(await drained(socket))) return
    onSent(count)
  }
}

/** False where it was closed, or nothing was taken for a while. */
async function drained(socket: Socket): Promise<boolean> {
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
