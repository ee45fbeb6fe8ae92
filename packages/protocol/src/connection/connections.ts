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

/** The connections of one HTTP server. No error is written to a connection while a response is due on it. */
export interface Connections {
  /**
   * Call it for every request, in the order of arrival. Returns false when the connection is closing: do not serve the
   * request, its caller gets no response. When requests arrive faster than a connection may send them, reading from it is
   * paused.
   */
  begin(request: IncomingRequest, response: OutgoingResponse): boolean
  /**
   * Closes a connection with an unreadable message, on `clientError`. Responses that are due on it are sent first; if none
   * is due, `answer` is sent.
   *
   * @param answer a complete HTTP response, with its head
   */
  refuse(socket: ConnectionSocket, error: object, answer: string): void
  /**
   * Call it before a response with `connection: close` to a request that is still arriving: the rest of the request is read
   * and discarded before the connection is closed. The system resets a connection that is closed with unread bytes, and the
   * caller loses the response.
   */
  closeGently(request: IncomingRequest): void
}

/** Limits for the bytes that are read and discarded after the last response. */
const DISCARD_MS = 5_000
const DISCARD_BYTES = 32 * 1_048_576

/**
 * Limits one connection to 2,000 requests a second; requests that arrive faster are read later. A request costs some 20 µs,
 * and a pipelined one has 30 bytes. After each group of this size other connections get their turn, even on a machine that
 * is slower than that.
 */
const REQUESTS_AT_ONCE = 200
const GROUP_MS = 100

interface Exchange {
  readonly request: IncomingRequest
  readonly response: OutgoingResponse
}

interface Connection {
  last?: Exchange
  /** The exchange before the last one, which may not be answered yet. */
  before?: Exchange | undefined
  isClosing: boolean
  /** Requests since that time, by a clock in milliseconds. */
  requests: number
  sinceMs: number
  /** Number of timers that will resume it. */
  pauses: number
  isPaced: boolean
}

/** The state of one server's connections. */
interface Known {
  readonly clock: Clock
  readonly connections: WeakMap<ConnectionSocket, Connection>
}

/**
 * Creates the connections of one server.
 *
 * @param clock must never go back
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
      // Node calls `destroySoon` once the response is sent.
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

/** Slows down a connection. Requests that were already read are served, so it may use more time than has passed. */
function pace(clock: Clock, connection: Connection, socket: ConnectionSocket): void {
  const aheadMs = Math.max(0, connection.sinceMs + GROUP_MS - clock.nowMs())
  connection.requests = 0
  connection.sinceMs = clock.nowMs() + aheadMs
  connection.pauses += 1
  // Node pauses and resumes the socket for responses that the caller does not receive, independently of this pause.
  if (!connection.isPaced) socket.on('resume', () => connection.pauses > 0 && socket.pause())
  connection.isPaced = true
  socket.pause()
  clock.after(aheadMs, () => {
    connection.pauses -= 1
    if (connection.pauses === 0) socket.resume()
  })
}

/** Sends the last response, if any, and closes once the caller has closed its side, or after a time limit. */
function close(clock: Clock, socket: ConnectionSocket, lastAnswer: string): void {
  if (socket.writableEnded) return
  discardAll(socket)
  const cancel = clock.after(DISCARD_MS, () => socket.destroy())
  socket.once('close', cancel)
  socket.end(lastAnswer)
}

/** Calls back at the end of the request, or when one of the limits is reached. */
function readOn(clock: Clock, request: IncomingRequest, then: () => void): void {
  if (request.complete) return then()
  const cancel = clock.after(DISCARD_MS, then)
  request.once('end', then)
  request.once('close', cancel)
  whenFlowing(request.socket, () => whenTooMany(request.socket, then))
}

/** The last response that is due to a complete request: it is sent after all others. */
function findDue({ last, before }: Connection): OutgoingResponse | undefined {
  const exchange = last?.request.complete === true ? last : before
  const response = exchange?.response
  return response === undefined || response.writableFinished || response.destroyed ? undefined : response
}

/** Was the incomplete request already answered? */
function isAnswered({ last }: Connection): boolean {
  return last?.request.complete === false && last.response.headersSent
}

/** Discards all further bytes: none is parsed as a request or kept in memory. */
function discardAll(socket: ConnectionSocket): void {
  whenFlowing(socket, () => {
    socket.removeAllListeners('data')
    socket.removeAllListeners('end')
    whenTooMany(socket, () => socket.destroy())
  })
}

/** Calls back when more bytes have arrived than the limit for discarding. */
function whenTooMany(socket: ConnectionSocket, then: () => void): void {
  let bytes = 0
  socket.on('data', ({ length }) => {
    bytes += length
    if (bytes > DISCARD_BYTES) then()
  })
}

/**
 * Calls back once the socket is not paused. Node resumes a paused socket through a listener of its own, which it removes
 * when another `data` listener is added.
 */
function whenFlowing(socket: ConnectionSocket, then: () => void): void {
  if (socket.readableFlowing === true) return then()
  socket.once('resume', then)
  socket.resume()
}
