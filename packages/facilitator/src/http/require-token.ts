import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sendError } from './answer.ts'

/** Answers 401 to everybody who does not show the service token, before a body is read. */
export function requireToken(
  adminToken: string,
): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined> {
  return async (request, reply) => {
    if (isAdmin(request.headers.authorization, adminToken)) return undefined
    await sendError(reply, 401, 'the service token is required: Authorization: Bearer <token>')
    return reply
  }
}

/** A route whose work has sent the answer when it ends. */
export function guarded(
  act: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  return async (request, reply) => {
    await act(request, reply)
    return reply
  }
}

/** In constant time, whatever the length of what was sent. */
function isAdmin(authorization: string | undefined, token: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(authorization ?? ''), digest(`Bearer ${token}`))
}
