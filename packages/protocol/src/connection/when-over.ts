/** The part of a Node socket that is used. */
export interface CallersSocket {
  readonly destroyed: boolean
  once(event: 'close', listener: () => void): unknown
}

/** The part of Node's response that is used. */
export interface CallersResponse {
  once(event: 'close', listener: () => void): unknown
}

/** What waits for the end of each connection. One listener is enough for all requests that come on one. */
const waiting = new WeakMap<CallersSocket, Set<() => void>>()

/**
 * Calls back once an answer is out or its caller has left, whichever comes first; at once where the caller has left already.
 * For whatever is counted or held for an answer: the response alone does not tell. One that was closed before somebody listened
 * says nothing any more, and one that waits behind another never hears of the end of its connection.
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
