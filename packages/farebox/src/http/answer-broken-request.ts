import { failureAnswer } from '../answer/answer.ts'

/** The response to input that is not a valid HTTP request, in this agent's format (HTTP-05). */
export function answerBrokenRequest({ code }: NodeJS.ErrnoException, maxHeaderBytes: number): string {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return wholeFailure(
        431,
        'Request Header Fields Too Large',
        `headers: too large, at most ${maxHeaderBytes} bytes`,
      )
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return wholeFailure(408, 'Request Timeout', 'the request did not arrive in time')
    default:
      return wholeFailure(400, 'Bad Request', 'the request is not HTTP/1.1')
  }
}

/** A complete response as text, for events in which Node provides a socket but no response object. */
export function wholeFailure(status: number, phrase: string, reason: string): string {
  const { body } = failureAnswer('validation', status, reason)
  return (
    `HTTP/1.1 ${status} ${phrase}\r\ncontent-type: application/json; charset=utf-8\r\ncache-control: no-store\r\n` +
    `connection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${String(body)}`
  )
}
