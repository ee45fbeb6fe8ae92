import { parseJson } from '@farebox/protocol/internal/guards/json'
import type { FastifyReply } from 'fastify'

/** Sends a response that is not a verdict: `{"error": "<a sentence>"}`. */
export async function sendError(reply: FastifyReply, status: number, error: string): Promise<void> {
  if (status === 401) reply.header('www-authenticate', 'Bearer')
  await reply.code(status).send({ error })
}

/** Parses a body as JSON whatever its content type; undefined for anything that is not JSON. */
export function readJsonBody(body: unknown): unknown {
  return typeof body === 'string' ? parseJson(body) : undefined
}
