import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Connections } from '@farebox/protocol/internal/connection/connections'
import { createUnsentAnswers, type UnsentAnswers } from '@farebox/protocol/internal/body/unsent-answers'
import { failureAnswer, type Answer } from '../answer/answer.ts'
import { COMMON_HEADERS } from './service-routes.ts'

/** Writes the answer to a request. Does nothing when the connection is closed. */
export type AnswerWriter = (request: IncomingMessage, response: ServerResponse, answer: Answer) => void

/** Makes the answer writer of one server. */
export function createAnswerWriter(connections: Connections): AnswerWriter {
  const unsent = createUnsentAnswers()
  return (request, response, answer) => {
    if (response.destroyed) return
    const { status, body, bodyBytes, headers: own, close } = fitting(unsent, answer)
    const isUnread = announcesBody(request) && !request.complete
    const length = bodyBytes ?? Buffer.byteLength(body)
    const headers = flatHeaders(own)
    if (status !== 204) headers.push('content-length', String(length))
    if (close === true || isUnread) headers.push('connection', 'close')
    response.writeHead(status, headers)
    unsent.add(request.socket, response, length)
    if (isUnread) connections.closeGently(request)
    response.end(request.method === 'HEAD' || status === 204 ? '' : body)
  }
}

/**
 * The answer, or a 503 when too many unsent answers already wait for slow readers; the result is stored, and sent when
 * it is requested again.
 */
function fitting(unsent: UnsentAnswers, answer: Answer): Answer {
  if (unsent.hasRoom(answer.bodyBytes ?? answer.body.length)) return answer
  const message = 'too many answers wait for callers that read slowly: send the same request again'
  return failureAnswer('internal', 503, message, { 'retry-after': '5' })
}

/** The headers as one flat list of names and values, which Node writes faster than an object, by about a third. */
function flatHeaders(own: Answer['headers']): string[] {
  const flat = [...FLAT_COMMON_HEADERS]
  for (const name of Object.keys(own)) flat.push(name, own[name] ?? '')
  return flat
}

const FLAT_COMMON_HEADERS: readonly string[] = Object.entries(COMMON_HEADERS).flat()

/**
 * Whether a body follows. `complete` cannot tell, because it is also false for a request without a body while its event
 * is handled.
 */
function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}
