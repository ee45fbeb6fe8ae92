import type { IncomingMessage, ServerResponse } from 'node:http'
import { createConnections, type Connections } from '@farebox/protocol/internal/connection/connections'
import { steadyClock, type Clock } from '@farebox/protocol/time/clock'
import { createActiveSet, type ActiveSet, type Placed } from '../active-set.ts'
import { shuttingDown, type Answer } from '../answer/answer.ts'
import type { OriginHeaders } from '../execute/request/arrived-request.ts'
import { HIRE_PATH_HEADER } from '../handler/job-hiring.ts'
import { createInFlight, type InFlight } from './in-flight.ts'
import { createBodyReader, type BodyReader } from './read-body.ts'
import { ownAddress, refuseHeaders } from './refuse-headers.ts'
import { unreadable, type ServiceRoutes } from './service-routes.ts'
import { refuseForeign } from './this-machine-only.ts'
import { createAnswerWriter, type AnswerWriter } from './write-answer.ts'

/** A requested job that is answered later. */
interface Exchange extends Placed {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** The state of one server: its parts, and the requests in progress. */
export interface RequestServing {
  readonly routes: ServiceRoutes
  readonly bodies: BodyReader
  readonly connections: Connections
  readonly send: AnswerWriter
  readonly inFlight: InFlight
  /** Jobs whose bodies are being received. */
  readonly arriving: ActiveSet<Exchange>
  /** Jobs that are running. */
  readonly unanswered: ActiveSet<Exchange>
  thisMachineOnly: boolean
  closing: 'no' | 'draining' | 'refusing newcomers' | 'leaving them to a successor'
}

/** Makes the state of a server without requests. */
export function createServing(routes: ServiceRoutes, clock: Clock): RequestServing {
  const connections = createConnections({
    nowMs: steadyClock.nowMs,
    after: (ms, callback) => clock.after(ms, callback),
  })
  return {
    routes,
    bodies: createBodyReader(),
    connections,
    send: createAnswerWriter(connections),
    inFlight: createInFlight(),
    arriving: createActiveSet(),
    unanswered: createActiveSet(),
    thisMachineOnly: false,
    closing: 'no',
  }
}

/** Serves one request. Rejects only for an internal fault. */
export async function serveRequest(
  serving: RequestServing,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { routes, bodies, send, arriving, unanswered } = serving
  const url = request.url ?? ''
  const query = url.indexOf('?')
  const path = query === -1 ? url : url.slice(0, query)
  const refused =
    refuseHeaders(request) ?? (serving.thisMachineOnly ? refuseForeign(request.headers) : undefined)
  if (refused !== undefined) return send(request, response, refused)
  const routed = routes.route(request.method ?? '', path)
  if (routed !== 'execute') return send(request, response, lastIfClosing(serving, routed))
  if (serving.closing === 'refusing newcomers') return send(request, response, shuttingDown())
  const exchange: Exchange = { request, response, place: -1 }
  arriving.add(exchange)
  const body = await bodies.read(request)
  arriving.delete(exchange)
  if (body === 'gone') return
  if (typeof body === 'string') return send(request, response, unreadable(body))
  unanswered.add(exchange)
  try {
    const answer = await routes.execute({
      contentType: request.headers['content-type'],
      body,
      paymentHeaders: paymentHeaders(request.rawHeaders),
      calledUrl: `http://${request.headers.host ?? ownAddress(request)}/execute`,
      origin: originHeaders(request),
    })
    // When the grace period is over, the job has already been answered, and its answer is dropped.
    if (unanswered.delete(exchange)) send(request, response, lastIfClosing(serving, answer))
  } finally {
    bodies.release(body)
  }
}

/** Marks the answer as the last one of its connection when the server is closing. */
function lastIfClosing({ closing }: RequestServing, answer: Answer): Answer {
  return closing === 'no' ? answer : { ...answer, close: true }
}

/**
 * Reads the payment headers from the raw list: Node joins repeated headers, and two payments must not look like one
 * (PAY-35).
 */
function paymentHeaders(rawHeaders: readonly string[]): readonly string[] {
  const found: string[] = []
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (name.length !== 17 && name.length !== 9) continue
    const lower = name.toLowerCase()
    if (lower === 'payment-signature' || lower === 'x-payment') found.push(rawHeaders[index + 1] ?? '')
  }
  return found
}

function originHeaders({ headers }: IncomingMessage): OriginHeaders {
  const text = (value: string | string[] | undefined): string | undefined =>
    typeof value === 'string' ? value : undefined
  return { hirePath: text(headers[HIRE_PATH_HEADER]), traceparent: text(headers['traceparent']) }
}
