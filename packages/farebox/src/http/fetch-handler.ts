import type { BodyFault } from '@farebox/protocol/internal/body/body-buffer'
import { readWebStream } from '@farebox/protocol/internal/body/read-web-stream'
import { MAX_BODY_BYTES } from '@farebox/protocol/limits'
import type { Clock } from '@farebox/protocol/time/clock'
import { HIRE_PATH_HEADER } from '../handler/job-hiring.ts'
import { finishJobs, type StopGrace } from './finish-jobs.ts'
import { failureAnswer, shuttingDown, type Answer } from '../answer/answer.ts'
import { COMMON_HEADERS, unreadable, type ServiceRoutes } from './service-routes.ts'

/**
 * The routes as a function from a web-standard request to a response, for programs that embed an agent in their own
 * server.
 */
export interface FetchHandler {
  /** Answers one request. Never rejects. */
  fetch(request: Request): Promise<Response>
  /** Answers new jobs 503 from now on, and lets jobs in flight finish until the grace period is over (D32). */
  close(grace: StopGrace): Promise<void>
}

/** Makes the handler. */
export function createFetchHandler(routes: ServiceRoutes, clock: Clock): FetchHandler {
  const inFlight = new Set<Promise<Answer>>()
  let closing = false
  return {
    async fetch(request) {
      const { pathname } = new URL(request.url)
      const routed = routes.route(request.method, pathname)
      if (routed !== 'execute') return toResponse(routed, request.method)
      if (closing) return toResponse(shuttingDown(), request.method)
      const answering = execute(routes, request)
      inFlight.add(answering)
      void answering.finally(() => inFlight.delete(answering))
      return toResponse(await answering, request.method)
    },
    async close(grace) {
      closing = true
      await finishJobs(clock, grace, Promise.allSettled(inFlight))
    },
  }
}

async function execute(routes: ServiceRoutes, request: Request): Promise<Answer> {
  const body = await readBody(request)
  if (body === 'gone') return failureAnswer('validation', 400, 'body: broke off')
  if (typeof body === 'string') return unreadable(body)
  const { headers } = request
  return await routes.execute({
    contentType: headers.get('content-type') ?? undefined,
    body,
    // Headers joins repeated values with ", ", which base64 does not contain, so that two payments are refused as one
    // invalid header.
    paymentHeaders: [headers.get('payment-signature'), headers.get('x-payment')].filter(
      value => value !== null,
    ),
    calledUrl: request.url.split('?', 1)[0] ?? request.url,
    origin: {
      hirePath: headers.get(HIRE_PATH_HEADER) ?? undefined,
      traceparent: headers.get('traceparent') ?? undefined,
    },
  })
}

async function readBody(request: Request): Promise<Buffer | BodyFault | 'gone'> {
  try {
    const body = await readWebStream(request.body, MAX_BODY_BYTES)
    return typeof body === 'string' ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  } catch {
    return 'gone'
  }
}

function toResponse(answer: Answer, method: string): Response {
  const body =
    answer.status === 204 || method === 'HEAD'
      ? null
      : typeof answer.body === 'string'
        ? answer.body
        : new Uint8Array(answer.body)
  return new Response(body, { status: answer.status, headers: { ...answer.headers, ...COMMON_HEADERS } })
}
