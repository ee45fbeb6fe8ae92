import type { Clock } from '@farebox/protocol/time/clock'
import { createRateLimit } from '@farebox/server/internal/rate-limit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Authenticate } from '../secrets/authenticate.ts'
import type { StoredSecret } from '../secrets/secret-store.ts'
import { sendError } from './answer.ts'

/** The check of a caller's secret. */
export interface AdmissionParts {
  readonly authenticate: Authenticate
  /** Takes one from the allowance of a secret on a route; false when it is used up. */
  readonly mayAsk: (name: string) => boolean
}

/** How many names are remembered; beyond it those asked for longest ago are forgotten. */
const MAX_NAMES = 10_000

/** So many a second for each name, and twice that at once. */
export function limitCallers(perSecond: number, clock: Clock): AdmissionParts['mayAsk'] {
  const limit = createRateLimit(clock, MAX_NAMES)
  return name => limit(name, perSecond * 60, perSecond * 2) === undefined
}

/** Lets in who shows a secret. */
export interface CallerAdmission {
  /** For a route's `onRequest`: a request without a secret is answered before its body is read. */
  readonly onRequest: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined>
  /** Whose request this is. Throws for one that did not pass {@link CallerAdmission.onRequest}. */
  callerOf(request: FastifyRequest): StoredSecret
}

/** Makes the admission check of routes. */
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

/** The secret a request comes with, or undefined when it has been answered: 401, or 429 where it asks too often. */
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
