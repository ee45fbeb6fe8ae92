import type { FastifyReply } from 'fastify'

/** Anything that is no verdict: `{"error": "<a sentence>"}`. */
export async function answerError(reply: FastifyReply, status: number, error: string): Promise<void> {
  if (status === 401) reply.header('www-authenticate', 'Bearer')
  await reply.code(status).send({ error })
}

/** Parses a body by our own hand, whatever its content type says; undefined for what is no JSON. */
export function parseBody(body: unknown): unknown {
  if (typeof body !== 'string') return undefined
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** A JSON object, or undefined. */
export function asObject(value: unknown): { readonly [key: string]: unknown } | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as { readonly [key: string]: unknown })
    : undefined
}
