/** The part of Node's socket that is used. */
export interface ConnectionSocket {
  readonly writable: boolean
  readonly writableEnded: boolean
  readonly readableFlowing: boolean | null
  resume(): unknown
  end(text: string): unknown
  destroy(): unknown
  on(event: 'data', listener: (piece: { readonly length: number }) => void): unknown
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

/** The connections of one HTTP server: nothing is written on one before the answers that are due on it. */
export interface Connections {
  /**
   * To be called with every request, in the order of their coming. False: its connection is about to be closed, and it must
   * not be served; its caller gets no answer.
   */
  begin(request: IncomingRequest, response: OutgoingResponse): boolean
  /**
   * Closes a connection that carries what is no request, as `clientError` tells. The answers that are due on it are sent
   * first; where none is, `answer` is.
   *
   * @param answer a whole HTTP response, with its head
   */
  refuse(socket: ConnectionSocket, error: object, answer: string): void
  /**
   * To be called before a request is answered that is still arriving, with an answer that ends its connection: the rest
   * is read for a while and thrown away. Closed at once, the connection would be reset by the system, and the answer lost.
   */
  closeGently(request: IncomingRequest): void
}

/** Calls back once after so many milliseconds, unless the returned function is called before. */
export type After = (ms: number, callback: () => void) => () => void

/** What a caller still sends after the last answer is read for so long, and so much of it. */
const READ_ON_MS = 5_000
const READ_ON_BYTES = 32 * 1_048_576

interface Exchange {
  readonly request: IncomingRequest
  readonly response: OutgoingResponse
}

interface Connection {
  last?: Exchange
  /** The one before the last, which may not be answered yet. */
  before?: Exchange | undefined
  isClosing: boolean
}

/** Makes those of one server. */
export function createConnections(after: After): Connections {
  const connections = new WeakMap<ConnectionSocket, Connection>()
  const of = (socket: ConnectionSocket): Connection => {
    const known = connections.get(socket)
    if (known !== undefined) return known
    const connection = { isClosing: false }
    connections.set(socket, connection)
    return connection
  }

  return {
    begin(request, response) {
      const connection = of(request.socket)
      if (connection.isClosing) return false
      connection.before = connection.last
      connection.last = { request, response }
      return true
    },
    refuse(socket, error, answer) {
      const isReset = 'code' in error && error.code === 'ECONNRESET'
      if (isReset || !socket.writable) return void socket.destroy()
      const connection = of(socket)
      if (connection.isClosing) return
      connection.isClosing = true
      throwAway(socket)
      const due = findDue(connection)
      if (due === undefined) close(socket, isAnswered(connection) ? '' : answer)
      else due.once('close', () => close(socket, ''))
    },
    closeGently(request) {
      const { socket } = request
      of(socket).isClosing = true
      // Node calls it once the answer is out.
      Object.assign(socket, { destroySoon: () => readOn(request, () => close(socket, '')) })
    },
  }

  /** Sends the last words, and closes once the caller has closed too, or after a while. */
  function close(socket: ConnectionSocket, lastWords: string): void {
    if (socket.writableEnded) return
    throwAway(socket)
    const cancel = after(READ_ON_MS, () => socket.destroy())
    socket.once('close', cancel)
    socket.end(lastWords)
  }

  /** Calls back at the end of the request, or when enough of it was read. */
  function readOn(request: IncomingRequest, then: () => void): void {
    if (request.complete) return then()
    const cancel = after(READ_ON_MS, then)
    request.once('end', then)
    request.once('close', cancel)
    whenFlowing(request.socket, () => whenRead(request.socket, then))
  }
}

/** The last of the answers that a whole request waits for: it is sent after all others. */
function findDue({ last, before }: Connection): OutgoingResponse | undefined {
  const exchange = last?.request.complete === true ? last : before
  const response = exchange?.response
  return response === undefined || response.writableFinished || response.destroyed ? undefined : response
}

/** Whether the request that broke off has its answer already. */
function isAnswered({ last }: Connection): boolean {
  return last?.request.complete === false && last.response.headersSent
}

/** Nothing of it becomes a request any more, and it does not fill memory. */
function throwAway(socket: ConnectionSocket): void {
  whenFlowing(socket, () => {
    socket.removeAllListeners('data')
    socket.removeAllListeners('end')
    whenRead(socket, () => socket.destroy())
  })
}

/** Calls back when as much as may be read on has come. */
function whenRead(socket: ConnectionSocket, then: () => void): void {
  let bytes = 0
  socket.on('data', ({ length }) => {
    bytes += length
    if (bytes > READ_ON_BYTES) then()
  })
}

/**
 * Calls back once the socket is not paused. Node goes on with a paused one by a listener of its own, which it takes off as
 * soon as somebody else listens for data.
 */
function whenFlowing(socket: ConnectionSocket, then: () => void): void {
  if (socket.readableFlowing === true) return then()
  socket.once('resume', then)
  socket.resume()
}
