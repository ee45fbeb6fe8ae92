import { parseTraceparent, readTraceparent } from '@farebox/protocol/internal/trace/traceparent'
import type { FastifyRequest } from 'fastify'

/** The trace of a request: that of its `traceparent`, or a new one at each call. 32 hex digits. */
export function traceOf(request: FastifyRequest): string {
  return readTraceparent(traceparentOf(request)).id
}

/** The trace that a request came with; undefined without a valid one. */
export function sentTraceOf(request: FastifyRequest): string | undefined {
  return parseTraceparent(traceparentOf(request))?.id
}

function traceparentOf({ headers }: FastifyRequest): string | undefined {
  const header = headers['traceparent']
  return typeof header === 'string' ? header : undefined
}
