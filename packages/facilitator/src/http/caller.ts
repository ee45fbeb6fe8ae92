import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Authenticate } from '../secrets/authenticate.ts'
import type { RateLimit } from '../secrets/rate-limit.ts'
import type { StoredSecret } from '../secrets/secret-store.ts'
import { answerError } from './answer.ts'

/** Who may come in. */
export interface Door {
  readonly authenticate: Authenticate
  readonly rateLimit: RateLimit
}

/**
 * The secret a request comes with, or undefined when it has been answered: 401, or 429 where it asks too
 * often.
 */
export async function admitCaller(
  door: Door,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<StoredSecret | undefined> {
  const caller = await door.authenticate(request.headers.authorization)
  if (caller === undefined) {
    await answerError(reply, 401, 'a valid FACILITATOR_SECRET is required: Authorization: Bearer <secret>')
    return undefined
  }
  if (door.rateLimit(`${request.routeOptions.url ?? ''} ${caller.id}`)) return caller
  reply.header('retry-after', '1')
  await answerError(reply, 429, 'this secret asks too often: come back in a second')
  return undefined
}
