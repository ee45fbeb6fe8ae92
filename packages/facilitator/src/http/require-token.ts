import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sendError } from './answer.ts'

/** Answers 401 to requests without the service token, before their body is read. */
export function requireToken(
  adminToken: string,
): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined> {
  return async (request, reply) => {
    if (isAdmin(request.headers.authorization, adminToken)) return undefined
    await sendError(reply, 401, 'the service token is required: Authorization: Bearer <token>')
    return reply
  }
}

/** Wraps a route whose work has sent the response when it ends. */
export function guarded(
  act: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  return async (request, reply) => {
    await act(request, reply)
    return reply
  }
}

/** Compares in constant time, whatever the length of the header. */
function isAdmin(authorization: string | undefined, token: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(authorization ?? ''), digest(`Bearer ${token}`))
}
