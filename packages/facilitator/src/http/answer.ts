import { parseJson } from '@farebox/protocol/internal/guards/json'
import type { FastifyReply } from 'fastify'

/** Anything that is no verdict: `{"error": "<a sentence>"}`. */
export async function sendError(reply: FastifyReply, status: number, error: string): Promise<void> {
  if (status === 401) reply.header('www-authenticate', 'Bearer')
  await reply.code(status).send({ error })
}

/** Parses a body by our own hand, whatever its content type says; undefined for what is no JSON. */
export function readJsonBody(body: unknown): unknown {
  return typeof body === 'string' ? parseJson(body) : undefined
}
