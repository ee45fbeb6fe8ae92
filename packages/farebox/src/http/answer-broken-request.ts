import type { Duplex } from 'node:stream'
import { failure } from '../answer/answer.ts'

/** What never became a request: our own form of answer, and the connection closed (HTTP-05). */
export function answerBrokenRequest(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  maxHeaderBytes: number,
): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return endWithFailure(
        socket,
        431,
        'Request Header Fields Too Large',
        `headers: too large, at most ${maxHeaderBytes} bytes`,
      )
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return endWithFailure(socket, 408, 'Request Timeout', 'the request did not arrive in time')
    default:
      return endWithFailure(socket, 400, 'Bad Request', 'the request is not HTTP/1.1')
  }
}

/** An answer written by hand, where Node gives a socket and no response. */
export function endWithFailure(socket: Duplex, status: number, phrase: string, reason: string): void {
  const { body } = failure('validation', status, reason)
  socket.end(
    `HTTP/1.1 ${status} ${phrase}\r\ncontent-type: application/json; charset=utf-8\r\ncache-control: no-store\r\n` +
      `connection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${String(body)}`,
  )
}
