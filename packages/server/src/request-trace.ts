import type { IncomingMessage, ServerResponse } from 'node:http'
import { whenOver } from '@farebox/protocol/internal/connection/when-over'
import { answeredWith, startSpan } from '@farebox/protocol/internal/trace/spans'
import { readTraceparent, parseTraceparent, type Trace } from '@farebox/protocol/internal/trace/traceparent'

/** The traces of requests that change something, while they are served. */
const traces = new WeakMap<IncomingMessage, Trace>()

const READS = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Starts the trace of a request, with a span where spans are recorded. Requests that only read are left out: probes,
 * scrapes, pages and polls are no part of a job.
 *
 * @param route - the path with the names of its parameters: a path itself may contain a secret
 */
export function openTrace(request: IncomingMessage, response: ServerResponse, route: string): void {
  const { method = '' } = request
  if (READS.has(method)) return
  const span = startSpan('server', `${method} ${route}`, readTraceparent(headerOf(request)), {
    'http.request.method': method,
    'http.route': route,
  })
  traces.set(request, span.trace)
  whenOver(request.socket, response, () => {
    if (response.headersSent) span.end(...answeredWith(response.statusCode))
    else span.end({}, 'caller_gone')
  })
}

/** The trace of a request: that of its `traceparent`, or its own new one. */
export function traceOf(request: IncomingMessage): Trace {
  return traces.get(request) ?? readTraceparent(headerOf(request))
}

/** The id for a log line: undefined for a request that only reads and came without a valid `traceparent`. */
export function loggedTraceOf(request: IncomingMessage): string | undefined {
  return traces.get(request)?.id ?? parseTraceparent(headerOf(request))?.id
}

function headerOf({ headers }: IncomingMessage): string | undefined {
  const header = headers['traceparent']
  return typeof header === 'string' ? header : undefined
}
