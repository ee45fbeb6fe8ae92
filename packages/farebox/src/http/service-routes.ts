import type { BodyFault } from '@farebox/protocol/internal/body/body-buffer'
import { MAX_BODY_BYTES, MAX_BODY_PIECES } from '@farebox/protocol/limits'
import { SERVICE_VERSION } from '@farebox/protocol/version'
import type { Health } from '@farebox/protocol/health'
import type { ArrivedRequest } from '../execute/request/arrived-request.ts'
import { execute } from '../execute/pipeline.ts'
import type { Service } from '../execute/service/service.ts'
import { failureAnswer, lastFailure, NO_STORE, type Answer } from '../answer/answer.ts'

/** The three routes (D31), independent of the transport: a socket, or `fetch`. */
export interface ServiceRoutes {
  /** Routes a request before its body is read: returns the complete answer, or `execute` when the body is needed. */
  route(method: string, path: string): Answer | 'execute'
  /** `POST /execute`. Never rejects. */
  execute(arrived: ArrivedRequest): Promise<Answer>
}

/** Headers of every response: browsers may call and pay an agent, and read the headers about the payment (D15). */
export const COMMON_HEADERS = {
  'x-content-type-options': 'nosniff',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'PAYMENT-REQUIRED, PAYMENT-RESPONSE, Retry-After',
} as const

const PREFLIGHT_HEADERS = {
  // Stock x402 clients send the last one with a payment, although it is a response header.
  'access-control-allow-headers':
    'Content-Type, PAYMENT-SIGNATURE, X-PAYMENT, traceparent, Access-Control-Expose-Headers',
  'access-control-max-age': '86400',
} as const

const READ_METHODS = 'GET, HEAD, OPTIONS'
const METHODS: { readonly [path: string]: string } = {
  '/health': READ_METHODS,
  '/about': READ_METHODS,
  '/execute': 'POST, OPTIONS',
}

/** Makes the routes; constant answers are made once. */
export function createServiceRoutes(service: Service): ServiceRoutes {
  const health: Health = { name: service.declaration.name, version: SERVICE_VERSION, status: 'ok' }
  const gets: { readonly [path: string]: Answer } = {
    '/health': json(health, 'no-store'),
    '/about': json(service.declaration, 'max-age=60'),
  }
  return {
    route(method, path) {
      const allowed = Object.hasOwn(METHODS, path) ? METHODS[path] : undefined
      if (allowed === undefined)
        return failureAnswer(
          'validation',
          404,
          'no such route: GET /health, GET /about and POST /execute are',
        )
      if (method === 'POST' && path === '/execute') return 'execute'
      const get = gets[path]
      if (get !== undefined && (method === 'GET' || method === 'HEAD')) return get
      if (method === 'OPTIONS')
        return {
          status: 204,
          headers: { ...PREFLIGHT_HEADERS, 'access-control-allow-methods': allowed },
          body: '',
        }
      return failureAnswer('validation', 405, `${path} takes ${allowed}`, { allow: allowed })
    },
    execute: arrived => service.metrics.step('whole', () => execute(service, arrived)),
  }
}

/**
 * The answer to a body that was not accepted (D15); the connection is closed, because the rest of the body is still
 * arriving.
 */
export function unreadable(why: BodyFault | 'no room'): Answer {
  switch (why) {
    case 'too large':
      return lastFailure('validation', 400, `body: too large, at most ${MAX_BODY_BYTES} bytes`)
    case 'too many pieces':
      return lastFailure('validation', 400, `body: in too many pieces, at most ${MAX_BODY_PIECES}`)
    case 'no room':
      // The answer says nothing about the state of the job.
      return lastFailure('internal', 503, 'too many large requests at once: come back', {
        'retry-after': '5',
      })
  }
}

function json(value: object, cacheControl: string): Answer {
  return {
    status: 200,
    headers: { ...NO_STORE, 'cache-control': cacheControl },
    body: Buffer.from(JSON.stringify(value)),
  }
}
