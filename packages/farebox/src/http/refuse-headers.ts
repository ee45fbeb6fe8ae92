import type { IncomingMessage } from 'node:http'
import { lastFailure, type Answer } from '../answer/answer.ts'

/**
 * Refuses a request with an invalid Host header. RFC 9112 §3.2: HTTP/1.1 requires exactly one, HTTP/1.0 allows none,
 * and no request may have two. A header without a name is invalid (§5), but the parser of Node before 20.20 accepts it.
 */
export function refuseHeaders({ rawHeaders, httpVersion }: IncomingMessage): Answer | undefined {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (name === '') return lastFailure('validation', 400, 'the request is not HTTP/1.1')
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  if (hosts === 1) return undefined
  if (hosts > 1) return lastFailure('validation', 400, 'the Host header must come once')
  return httpVersion === '1.0' ? undefined : lastFailure('validation', 400, 'the Host header is required')
}

/** The address of this server, for a request without a Host header. */
export function ownAddress({ socket }: IncomingMessage): string {
  const { localAddress = 'localhost', localPort } = socket
  return `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort ?? 80}`
}
