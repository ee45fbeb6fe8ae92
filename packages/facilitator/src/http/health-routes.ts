import type { FastifyInstance } from 'fastify'

/** A condition of readiness: undefined when it is met, otherwise a description of what is missing. Never rejects. */
export type ReadinessCheck = () => Promise<string | undefined>

/**
 * `GET /health`: the process is alive, whatever the state of its dependencies. `GET /ready`: 200 when database, chain and
 * relayer are usable, otherwise 503 with the failed checks. A clock difference is reported; it fails the check only when the
 * chain check fails because of it.
 */
export function addHealthRoutes(
  app: FastifyInstance,
  checks: { readonly [name: string]: ReadinessCheck },
  clock: () => string | undefined,
): void {
  app.get('/health', async (_, reply) => await reply.send({ status: 'ok' }))
  app.get('/ready', async (_, reply) => {
    const results = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => [name, (await check()) ?? 'ok'] as const),
    )
    const ready = results.every(([, result]) => result === 'ok')
    return await reply
      .code(ready ? 200 : 503)
      .send({ ready, ...Object.fromEntries(results), clock: clock() ?? 'ok' })
  })
}
