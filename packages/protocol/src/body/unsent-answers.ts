import { whenOver, type CallersResponse, type CallersSocket } from '../connection/when-over.ts'
import { LARGE_BODY_BYTES } from '../limits.ts'

/** The part of a Node socket that is used. */
export interface AnswerSocket extends CallersSocket {
  setTimeout(ms: number): unknown
}

/** The part of Node's response that is used. */
export interface OutgoingAnswer extends CallersResponse {
  prependListener(event: 'finish', listener: () => void): unknown
}

/** Responses that their callers have not received yet: each stays in memory until then. */
export interface UnsentAnswers {
  /** May another response of this many bytes wait? */
  hasRoom(bytes: number): boolean
  /** Counts a response that is about to be sent, until it is sent or its connection has ended. */
  add(socket: AnswerSocket, response: OutgoingAnswer, bytes: number): void
}

/** As much as all incoming bodies together may have (HTTP-04). */
const MAX_UNSENT_BYTES = 64 * 1_048_576
/** A caller that receives nothing of its response for this long is disconnected. */
const NOTHING_TAKEN_MS = 30_000

/** Starts without unsent responses. */
export function createUnsentAnswers(nothingTakenMs = NOTHING_TAKEN_MS): UnsentAnswers {
  let unsentBytes = 0
  const waiting = new Map<AnswerSocket, number>()
  const change = (socket: AnswerSocket, by: 1 | -1): number => {
    const count = (waiting.get(socket) ?? 0) + by
    if (count === 0) waiting.delete(socket)
    else waiting.set(socket, count)
    return count
  }
  return {
    hasRoom: bytes => bytes < LARGE_BODY_BYTES || unsentBytes + bytes <= MAX_UNSENT_BYTES,
    add(socket, response, bytes) {
      // Smaller responses fit into the system's buffer of a connection. A caller that has disconnected receives nothing.
      if (bytes < LARGE_BODY_BYTES || socket.destroyed) return
      unsentBytes += bytes
      change(socket, 1)
      // Node restarts the timeout whenever the caller receives something, and ends the connection otherwise.
      socket.setTimeout(nothingTakenMs)
      let isOver = false
      const end = (): void => {
        if (isOver) return
        isOver = true
        unsentBytes -= bytes
        if (change(socket, -1) === 0) socket.setTimeout(0)
      }
      // Runs before Node's own listener, which then waits for the next request without this limit.
      response.prependListener('finish', end)
      whenOver(socket, response, end)
    },
  }
}
