import { MAX_BODY_BYTES } from '@farebox/protocol/limits'
import { sleep, type Clock } from '../clock.ts'
import { failure, type Answer } from './answer.ts'
import { COMMON_HEADERS, shuttingDown, tooLarge, type ServiceRoutes } from './service-routes.ts'

/** The routes as a function from web-standard request to response: for those who embed an agent in their own server. */
export interface FetchDoor {
  /** Answers one request. Never rejects. */
  fetch(request: Request): Promise<Response>
  /** Answers new jobs 503 from now on, and lets those in flight finish for so long (D32). */
  close(graceMs: number): Promise<void>
}

/** Makes the door. */
export function createFetchDoor(routes: ServiceRoutes, clock: Clock): FetchDoor {
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
    async close(graceMs) {
      closing = true
      const graceOver = new AbortController()
      await Promise.race([Promise.allSettled(inFlight), sleep(clock, graceMs, graceOver.signal)])
      graceOver.abort()
    },
  }
}

async function execute(routes: ServiceRoutes, request: Request): Promise<Answer> {
  const body = await readBody(request)
  if (body === 'too large') return tooLarge(MAX_BODY_BYTES)
  if (body === 'gone') return failure('validation', 400, 'body: broke off')
  const { headers } = request
  return await routes.execute({
    contentType: headers.get('content-type') ?? undefined,
    body,
    // Headers join what was sent twice with ", ", which no base64 has: two are then refused as one that is garbage.
    paymentHeaders: [headers.get('payment-signature'), headers.get('x-payment')].filter(
      value => value !== null,
    ),
    calledUrl: request.url.split('?', 1)[0] ?? request.url,
  })
}

async function readBody(request: Request): Promise<Buffer | 'too large' | 'gone'> {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of request.body ?? []) {
      length += chunk.length
      if (length > MAX_BODY_BYTES) return 'too large'
      chunks.push(chunk)
    }
  } catch {
    return 'gone'
  }
  return Buffer.concat(chunks, length)
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
