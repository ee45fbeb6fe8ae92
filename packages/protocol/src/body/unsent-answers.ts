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

/** Answers that their callers have not taken yet: each is kept in memory until then. */
export interface UnsentAnswers {
  /** Whether an answer of so many bytes may wait as well. */
  hasRoom(bytes: number): boolean
  /** Counts an answer that is about to be sent, until it is out or its connection has ended. */
  add(socket: AnswerSocket, response: OutgoingAnswer, bytes: number): void
}

/** As much as all bodies that arrive may have (HTTP-04). */
const MAX_UNSENT_BYTES = 64 * 1_048_576
/** A caller that takes nothing of its answer for so long is cut off. */
const NOTHING_TAKEN_MS = 30_000

/** None are unsent at first. */
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
      // Smaller ones fit into what the system keeps for a connection. A caller that has left takes nothing.
      if (bytes < LARGE_BODY_BYTES || socket.destroyed) return
      unsentBytes += bytes
      change(socket, 1)
      // Node puts it off for as long as something is taken, and ends the connection otherwise.
      socket.setTimeout(nothingTakenMs)
      let isOver = false
      const end = (): void => {
        if (isOver) return
        isOver = true
        unsentBytes -= bytes
        if (change(socket, -1) === 0) socket.setTimeout(0)
      }
      // Before Node's own listener, which from then on waits for the next request, for as long as it likes.
      response.prependListener('finish', end)
      whenOver(socket, response, end)
    },
  }
}
