import type { InjectOptions } from 'fastify'
import { z } from 'zod'
import { defineRoute } from '../http/route.ts'

/** The response of {@link echoRoute}. */
export const thing = z.strictObject({ name: z.string() })

/** A route with a schema for each part of a request, which returns the name that it was sent. */
export const echoRoute = defineRoute({
  method: 'POST',
  path: '/v1/things/:thingId',
  summary: 'Says it again',
  access: 'public',
  perMinute: 1_000,
  maxBodyBytes: 1_000,
  params: z.object({ thingId: z.coerce.number().int() }),
  query: z.object({ loud: z.enum(['yes', 'no']).optional() }),
  body: z.object({
    name: z.string().min(2),
    parts: z.array(z.strictObject({ weight: z.number() })).optional(),
  }),
  answers: { 200: { description: 'Said', schema: thing } },
  handle: async ({ body }) => ({ body: { name: body.name } }),
})

/** A request to {@link echoRoute} with this value as JSON. */
export function postEcho(payload: unknown, more: InjectOptions = {}): InjectOptions {
  return {
    method: 'POST',
    url: '/v1/things/1',
    payload: JSON.stringify(payload),
    headers: { 'content-type': 'application/json' },
    ...more,
  }
}
