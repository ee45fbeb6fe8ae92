import type { FastifyInstance } from 'fastify'

/** One condition of being ready: undefined when met, else what is missing. Never rejects. */
export type ReadinessCheck = () => Promise<string | undefined>

/**
 * `GET /health`: this process is alive, whatever the rest of the world does. `GET /ready`: 200 when database,
 * chain and relayer are fit for work, 503 with what is not. A clock that differs is named; it is unfit only where the
 * chain is for it.
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
