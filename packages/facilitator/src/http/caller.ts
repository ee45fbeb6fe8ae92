import type { Clock } from '@farebox/protocol/time/clock'
import { createRateLimit } from '@farebox/server/internal/rate-limit'
import type { OutageGate, Visit } from '@farebox/server/internal/postgres/outage-gate'
import { bytesOfRequest } from '@farebox/server/internal/postgres/waiting-room'
import { untilGone } from '@farebox/server/internal/until-gone'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { hasSecretForm, type Authenticate } from '../secrets/authenticate.ts'
import type { StoredSecret } from '../secrets/secret-store.ts'
import { sendError } from './answer.ts'

/** The check of a caller's secret. */
export interface AdmissionParts {
  readonly authenticate: Authenticate
  /** Takes one request from the allowance of a secret on a route; false when it is used up. */
  readonly mayAsk: (name: string) => boolean
  /** Where requests wait while the database is away. */
  readonly gate: OutageGate
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
  /**
   * Runs the request's work for its caller, at the gate: the work must be safe to repeat. Throws for a request that did not
   * pass {@link CallerAdmission.onRequest}.
   */
  serve<Answer>(request: FastifyRequest, work: (caller: StoredSecret) => Promise<Answer>): Promise<Answer>
}

/** Creates the admission check for routes. */
export function admitCallers(admission: AdmissionParts): CallerAdmission {
  const { gate } = admission
  const admitted = new WeakMap<FastifyRequest, { readonly caller: StoredSecret; readonly visit: Visit }>()
  return {
    async onRequest(request, reply) {
      const { authorization } = request.headers
      // A caller without a secret takes no place in the queue, because secrets cannot be looked up now.
      if (gate.isShut() && !hasSecretForm(authorization)) return await refuseUnknown(reply)
      const bytes = bytesOfRequest(request.headers, request.routeOptions.bodyLimit ?? Infinity)
      const visit = gate.enter({ signal: untilGone(request.raw, reply.raw), bytes })
      const caller = await visit.run(() => admission.authenticate(authorization))
      if (caller === undefined) return await refuseUnknown(reply)
      if (!admission.mayAsk(`${request.routeOptions.url ?? ''} ${caller.id}`)) return await refuseHaste(reply)
      admitted.set(request, { caller, visit })
      return undefined
    },
    async serve(request, work) {
      const found = admitted.get(request)
      if (found === undefined)
        throw new Error('a request reached its handler without passing the access check')
      return await found.visit.run(() => work(found.caller))
    },
  }
}

async function refuseUnknown(reply: FastifyReply): Promise<FastifyReply> {
  await sendError(reply, 401, 'a valid FACILITATOR_SECRET is required: Authorization: Bearer <secret>')
  return reply
}

async function refuseHaste(reply: FastifyReply): Promise<FastifyReply> {
  reply.header('retry-after', '1')
  await sendError(reply, 429, 'this secret asks too often: come back in a second')
  return reply
}
