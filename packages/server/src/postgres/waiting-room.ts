import type { IncomingHttpHeaders } from 'node:http'
import type { Clock, StopSignal } from '@farebox/protocol/time/clock'

/** A request that may have to wait. */
export interface Visitor {
  /** Aborts when its caller has disconnected. */
  readonly signal: StopSignal
  /** The memory that the request takes while it waits. */
  readonly bytes: number
}

/** The queue of waiting requests, without a connection to the database. */
export interface WaitingRoom {
  /**
   * Waits until the room is opened.
   *
   * @param untilMs - Unix milliseconds; not longer than this
   * @throws {DatabaseAwayError} when there is no room, when the time is over and when the process stops; the signal's reason
   *   when the caller has gone
   */
  wait(visitor: Visitor, untilMs: number): Promise<void>
  /** Resumes all waiting requests. */
  open(): void
  /** Refuses all waiting and later requests, because the process stops. */
  close(): void
}

/** The database is unavailable: nothing was done, and the caller should retry. */
export class DatabaseAwayError extends Error {
  override readonly name = 'DatabaseAwayError'
  readonly retryAfterSeconds = 2
}

/** The maximum number of waiting requests of a process. */
export const MOST_WAITING = 1_000
/** The memory of all of them. */
export const MOST_WAITING_BYTES = 64 * 1_048_576

/** Creates the room of one process. */
export function createWaitingRoom(clock: Clock): WaitingRoom {
  const waiting = new Set<(isOpen: boolean) => void>()
  let bytes = 0
  let isClosed = false
  const endAll = (isOpen: boolean): void => {
    for (const end of waiting) end(isOpen)
  }
  return {
    async wait({ signal, bytes: own }, untilMs) {
      const leftMs = untilMs - clock.nowMs()
      if (signal.aborted) throw signal.reason
      if (isClosed || leftMs <= 0) throw away()
      if (waiting.size >= MOST_WAITING || bytes + own > MOST_WAITING_BYTES) throw away()
      bytes += own
      const isOpen = await new Promise<boolean>(resolve => {
        const giveUp = (): void => end(false)
        const cancel = clock.after(leftMs, giveUp)
        const end = (opened: boolean): void => {
          cancel()
          waiting.delete(end)
          signal.removeEventListener('abort', giveUp)
          resolve(opened)
        }
        waiting.add(end)
        signal.addEventListener('abort', giveUp)
      })
      bytes -= own
      if (signal.aborted) throw signal.reason
      if (!isOpen) throw away()
    },
    open: () => endAll(true),
    close() {
      isClosed = true
      endAll(false)
    },
  }
}

/** The memory of a waiting request in addition to its body. */
const REQUEST_BYTES = 4_096

/**
 * The memory of a waiting request, by what it announces; a body without a length counts as the largest one.
 *
 * @param bodyLimit - the largest body that is taken, in bytes
 */
export function bytesOfRequest(headers: IncomingHttpHeaders, bodyLimit: number): number {
  const announced =
    headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Infinity
  return REQUEST_BYTES + Math.min(announced, bodyLimit)
}

function away(): DatabaseAwayError {
  return new DatabaseAwayError('the database is away: nothing was done, ask again in a moment')
}
