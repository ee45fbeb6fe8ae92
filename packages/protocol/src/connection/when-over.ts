/** The part of a Node socket that is used. */
export interface CallersSocket {
  readonly destroyed: boolean
  once(event: 'close', listener: () => void): unknown
}

/** The part of Node's response that is used. */
export interface CallersResponse {
  once(event: 'close', listener: () => void): unknown
}

/** The callbacks of each connection: all its requests share one listener on the socket. */
const waiting = new WeakMap<CallersSocket, Set<() => void>>()

/**
 * Calls back when a response was sent or its caller has disconnected, whichever comes first; immediately if the caller has
 * already disconnected. Counters and waits need it because the response alone does not report every end: a response that was
 * closed before the listener was added, and one that is queued behind another when the connection is reset, emit no event.
 */
export function whenOver(socket: CallersSocket, response: CallersResponse, then: () => void): void {
  if (socket.destroyed) return then()
  const all = waiting.get(socket) ?? listen(socket)
  const end = (): void => {
    if (all.delete(end)) then()
  }
  all.add(end)
  response.once('close', end)
}

function listen(socket: CallersSocket): Set<() => void> {
  const all = new Set<() => void>()
  waiting.set(socket, all)
  socket.once('close', () => {
    for (const end of all) end()
  })
  return all
}
