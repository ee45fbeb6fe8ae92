import type { Clock } from '@farebox/protocol/time/clock'
import { createRateLimit } from '@farebox/server/internal/rate-limit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Authenticate } from '../secrets/authenticate.ts'
import type { StoredSecret } from '../secrets/secret-store.ts'
import { sendError } from './answer.ts'

/** The check of a caller's secret. */
export interface AdmissionParts {
  readonly authenticate: Authenticate
  /** Takes one request from the allowance of a secret on a route; false when it is used up. */
  readonly mayAsk: (name: string) => boolean
}

/** The most names that are remembered; beyond it the names that were used longest ago are forgotten. */
const MAX_NAMES = 10_000

/** Allows this many requests per second for each name, and twice that many at once. */
export function limitCallers(perSecond: number, clock: Clock): AdmissionParts['mayAsk'] {
  const limit = createRateLimit(clock, MAX_NAMES)
  return name => limit(name, perSecond * 60, perSecond * 2) === undefined
}

/** Admits requests with a valid secret. */
export interface CallerAdmission {
  /** The `onRequest` hook of a route: a request without a valid secret is answered before its body is read. */
  readonly onRequest: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined>
  /** The caller of a request. Throws for a request that did not pass {@link CallerAdmission.onRequest}. */
  callerOf(request: FastifyRequest): StoredSecret
}

/** Creates the admission check for routes. */
export function admitCallers(admission: AdmissionParts): CallerAdmission {
  const callers = new WeakMap<FastifyRequest, StoredSecret>()
  return {
    async onRequest(request, reply) {
      const caller = await admitCaller(admission, request, reply)
      if (caller === undefined) return reply
      callers.set(request, caller)
      return undefined
    },
    callerOf(request) {
      const caller = callers.get(request)
      if (caller === undefined)
        throw new Error('a request reached its handler without passing the access check')
      return caller
    },
  }
}

/**
 * The secret of a request, or undefined when the request was answered: with 401, or with 429 when the caller exceeds its
 * rate.
 */
async function admitCaller(
  admission: AdmissionParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<StoredSecret | undefined> {
  const caller = await admission.authenticate(request.headers.authorization)
  if (caller === undefined) {
    await sendError(reply, 401, 'a valid FACILITATOR_SECRET is required: Authorization: Bearer <secret>')
    return undefined
  }
  if (admission.mayAsk(`${request.routeOptions.url ?? ''} ${caller.id}`)) return caller
  reply.header('retry-after', '1')
  await sendError(reply, 429, 'this secret asks too often: come back in a second')
  return undefined
}
