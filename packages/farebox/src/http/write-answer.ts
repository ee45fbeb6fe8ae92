import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Connections } from '@farebox/protocol/internal/connection/connections'
import { createUnsentAnswers, type UnsentAnswers } from '@farebox/protocol/internal/body/unsent-answers'
import { failureAnswer, type Answer } from '../answer/answer.ts'
import { COMMON_HEADERS } from './service-routes.ts'

/** Writes the answer to a request. Does nothing where the connection is gone. */
export type AnswerWriter = (request: IncomingMessage, response: ServerResponse, answer: Answer) => void

/** Makes the writer of one server. */
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

/** The answer, where it may wait for a caller that reads slowly; it is kept, and sent when it is asked for again. */
function fitting(unsent: UnsentAnswers, answer: Answer): Answer {
  if (unsent.hasRoom(answer.bodyBytes ?? answer.body.length)) return answer
  const message = 'too many answers wait for callers that read slowly: send the same request again'
  return failureAnswer('internal', 503, message, { 'retry-after': '5' })
}

/** Names and values in one list: Node writes it down as it stands, which spares a third of what an object costs. */
function flatHeaders(own: Answer['headers']): string[] {
  const flat = [...FLAT_COMMON_HEADERS]
  for (const name of Object.keys(own)) flat.push(name, own[name] ?? '')
  return flat
}

const FLAT_COMMON_HEADERS: readonly string[] = Object.entries(COMMON_HEADERS).flat()

/** A request without a body is not `complete` either while its event is being handled. */
function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}
