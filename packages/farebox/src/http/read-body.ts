import type { IncomingMessage } from 'node:http'
import { MAX_BODY_BYTES } from '@farebox/protocol/limits'

/** The body; or why there is none. `gone`: a caller that goes away while sending never gets an answer. */
export type ReadBody = Buffer | 'too large' | 'too many' | 'gone'

/** What is not counted: ten thousand connections of it are bearable. */
const SMALL_BYTES = 65_536
/** Of larger bodies on their way at once: strangers who send slowly, and have not paid, must not fill the memory. */
const MOST_BYTES_ON_THEIR_WAY = 64 * MAX_BODY_BYTES

/** Makes the reader of one server: it counts what has come of bodies that are not whole yet. */
export function createBodyReader(): (request: IncomingMessage) => Promise<ReadBody> {
  let onTheirWay = 0
  return request => {
    if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return Promise.resolve('too large')
    return new Promise(resolve => {
      const chunks: Buffer[] = []
      let [length, reserved, isOver] = [0, 0, false]
      const end = (body: ReadBody): void => {
        if (isOver) return
        isOver = true
        onTheirWay -= reserved
        resolve(body)
      }
      const refuse = (why: 'too large' | 'too many'): void => {
        request.removeAllListeners('data').pause()
        end(why)
      }
      /** False where there is no room for a body that is so long. */
      const reserve = (bytes: number): boolean => {
        if (bytes <= SMALL_BYTES || bytes <= reserved) return true
        if (onTheirWay + bytes - reserved > MOST_BYTES_ON_THEIR_WAY) return false
        onTheirWay += bytes - reserved
        reserved = bytes
        return true
      }
      request.on('data', (chunk: Buffer) => {
        length += chunk.length
        if (length > MAX_BODY_BYTES) return refuse('too large')
        if (!reserve(length)) return refuse('too many')
        chunks.push(chunk)
      })
      request.on('end', () =>
        end(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, length)),
      )
      request.on('close', () => end('gone'))
      request.on('error', () => end('gone'))
    })
  }
}
