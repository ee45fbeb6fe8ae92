import { MAX_BODY_BYTES } from '@farebox/protocol/limits'
import type { Answer } from './answer.ts'
import { CORS_HEADERS, tooLarge, type ServiceRoutes } from './service-routes.ts'

/** Serves one web-standard request: for those who embed an agent in a server of their own. Never rejects. */
export async function fetchRoute(routes: ServiceRoutes, request: Request): Promise<Response> {
  const { pathname } = new URL(request.url)
  const routed = routes.route(request.method, pathname)
  if (routed !== 'execute') return toResponse(routed, request.method)
  const body = await readBody(request)
  if (body === undefined) return toResponse(tooLarge(MAX_BODY_BYTES), request.method)
  const { headers } = request
  const answer = await routes.execute({
    contentType: headers.get('content-type') ?? undefined,
    body,
    // Headers join what was sent twice with ", ", which no base64 has: two are then refused as one that is garbage.
    paymentHeaders: [headers.get('payment-signature'), headers.get('x-payment')].filter(value => value !== null),
    calledUrl: request.url.split('?', 1)[0] ?? request.url,
  })
  return toResponse(answer, request.method)
}

async function readBody(request: Request): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of request.body ?? []) {
    length += chunk.length
    if (length > MAX_BODY_BYTES) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, length)
}

function toResponse(answer: Answer, method: string): Response {
  const body = answer.status === 204 || method === 'HEAD' ? null : typeof answer.body === 'string' ? answer.body : new Uint8Array(answer.body)
  return new Response(body, { status: answer.status, headers: { ...answer.headers, ...CORS_HEADERS } })
}
