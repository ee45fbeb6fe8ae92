import type { Clock } from '../time/clock.ts'

/** The part of Node's socket that is used. */
export interface ConnectionSocket {
  readonly writable: boolean
  readonly writableEnded: boolean
  readonly readableFlowing: boolean | null
  pause(): unknown
  resume(): unknown
  end(text: string): unknown
  destroy(): unknown
  on(event: 'data', listener: (piece: { readonly length: number }) => void): unknown
  on(event: 'resume', listener: () => void): unknown
  once(event: 'close' | 'resume', listener: () => void): unknown
  removeAllListeners(event: 'data' | 'end'): unknown
}

/** The part of Node's request that is used. */
export interface IncomingRequest {
  readonly socket: ConnectionSocket
  readonly complete: boolean
  once(event: 'end' | 'close', listener: () => void): unknown
}

/** The part of Node's response that is used. */
export interface OutgoingResponse {
  readonly headersSent: boolean
  readonly writableFinished: boolean
  readonly destroyed: boolean
  once(event: 'close', listener: () => void): unknown
}

/** The connections of one HTTP server. No error is written on a connection while an answer is due on it. */
export interface Connections {
  /**
   * Call it with every request, in the order of arrival. False: the connection is closing; do not serve the request, its
   * caller gets no answer. Where requests arrive faster than a connection may send them, it is not read for a while.
   */
  begin(request: IncomingRequest, response: OutgoingResponse): boolean
  /**
   * Closes a connection with an unreadable message, on `clientError`. Answers that are due on it are sent first; if none
   * is due, `answer` is sent.
   *
   * @param answer a whole HTTP response, with its head
   */
  refuse(socket: ConnectionSocket, error: object, answer: string): void
  /**
   * Call it before an answer with `connection: close` to a request that is still arriving: the rest of the request is read
   * and discarded before the connection is closed. The system resets a connection that is closed with unread bytes, and
   * the caller loses the answer.
   */
  closeGently(request: IncomingRequest): void
}

/** Bounds for the bytes that are read and discarded after the last answer. */
const DISCARD_MS = 5_000
const DISCARD_BYTES = 32 * 1_048_576

/**
 * Of one connection, 2,000 a second; what arrives faster is read later. A request costs some 20 µs, and a pipelined one 30
 * bytes. After each of these groups others have their turn, also on a machine that serves fewer.
 */
const REQUESTS_AT_ONCE = 200
const GROUP_MS = 100

interface Exchange {
  readonly request: IncomingRequest
  readonly response: OutgoingResponse
}

interface Connection {
  last?: Exchange
  /** The one before the last, which may not be answered yet. */
  before?: Exchange | undefined
  isClosing: boolean
  /** Requests since then, by a clock in milliseconds. */
  requests: number
  sinceMs: number
  /** Timers that will resume it. */
  pauses: number
  isPaced: boolean
}

/** What one server knows of its connections. */
interface Known {
  readonly clock: Clock
  readonly connections: WeakMap<ConnectionSocket, Connection>
}

/**
 * Makes those of one server.
 *
 * @param clock never goes back
 */
export function createConnections(clock: Clock): Connections {
  const known: Known = { clock, connections: new WeakMap() }
  return {
    begin(request, response) {
      const connection = connectionOf(known, request.socket)
      if (connection.isClosing) return false
      connection.before = connection.last
      connection.last = { request, response }
      connection.requests += 1
      if (connection.requests === REQUESTS_AT_ONCE) pace(clock, connection, request.socket)
      return true
    },
    refuse(socket, error, answer) {
      const isReset = 'code' in error && error.code === 'ECONNRESET'
      if (isReset || !socket.writable) return void socket.destroy()
      const connection = connectionOf(known, socket)
      if (connection.isClosing) return
      connection.isClosing = true
      discardAll(socket)
      const due = findDue(connection)
      if (due === undefined) close(clock, socket, isAnswered(connection) ? '' : answer)
      else due.once('close', () => close(clock, socket, ''))
    },
    closeGently(request) {
      const { socket } = request
      connectionOf(known, socket).isClosing = true
      // Node calls it once the answer is out.
      Object.assign(socket, {
        destroySoon: () => readOn(clock, request, () => close(clock, socket, '')),
      })
    },
  }
}

function connectionOf({ clock, connections }: Known, socket: ConnectionSocket): Connection {
  const known = connections.get(socket)
  if (known !== undefined) return known
  const connection = { isClosing: false, requests: 0, sinceMs: clock.nowMs(), pauses: 0, isPaced: false }
  connections.set(socket, connection)
  return connection
}

/** What was read already is served: more time may be used than has passed. */
function pace(clock: Clock, connection: Connection, socket: ConnectionSocket): void {
  const aheadMs = Math.max(0, connection.sinceMs + GROUP_MS - clock.nowMs())
  connection.requests = 0
  connection.sinceMs = clock.nowMs() + aheadMs
  connection.pauses += 1
  // Node pauses and resumes it for answers that nobody takes, and knows nothing of this.
  if (!connection.isPaced) socket.on('resume', () => connection.pauses > 0 && socket.pause())
  connection.isPaced = true
  socket.pause()
  clock.after(aheadMs, () => {
    connection.pauses -= 1
    if (connection.pauses === 0) socket.resume()
  })
}

/** Sends the last answer, if any, and closes once the caller has closed its side, or after a while. */
function close(clock: Clock, socket: ConnectionSocket, lastAnswer: string): void {
  if (socket.writableEnded) return
  discardAll(socket)
  const cancel = clock.after(DISCARD_MS, () => socket.destroy())
  socket.once('close', cancel)
  socket.end(lastAnswer)
}

/** Calls back at the end of the request, or at one of the bounds. */
function readOn(clock: Clock, request: IncomingRequest, then: () => void): void {
  if (request.complete) return then()
  const cancel = clock.after(DISCARD_MS, then)
  request.once('end', then)
  request.once('close', cancel)
  whenFlowing(request.socket, () => whenTooMany(request.socket, then))
}

/** The last answer that is due to a complete request: it is sent after all others. */
function findDue({ last, before }: Connection): OutgoingResponse | undefined {
  const exchange = last?.request.complete === true ? last : before
  const response = exchange?.response
  return response === undefined || response.writableFinished || response.destroyed ? undefined : response
}

/** Whether the incomplete request has its answer already. */
function isAnswered({ last }: Connection): boolean {
  return last?.request.complete === false && last.response.headersSent
}

/** Discards all further bytes: none becomes a request, and none stays in memory. */
function discardAll(socket: ConnectionSocket): void {
  whenFlowing(socket, () => {
    socket.removeAllListeners('data')
    socket.removeAllListeners('end')
    whenTooMany(socket, () => socket.destroy())
  })
}

/** Calls back when more bytes have arrived than may be discarded. */
function whenTooMany(socket: ConnectionSocket, then: () => void): void {
  let bytes = 0
  socket.on('data', ({ length }) => {
    bytes += length
    if (bytes > DISCARD_BYTES) then()
  })
}

/**
 * Calls back once the socket is not paused. Node resumes a paused socket through a listener of its own, and removes that
 * listener when another listener for data is added.
 */
function whenFlowing(socket: ConnectionSocket, then: () => void): void {
  if (socket.readableFlowing === true) return then()
  socket.once('resume', then)
  socket.resume()
}
