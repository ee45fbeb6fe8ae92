import { z } from 'zod'
import { describeError } from '@farebox/server/log'
import type { PlatformParts } from '../platform-parts.ts'
import { openapiDocument } from './openapi-document.ts'
import type { SchemaObject } from '../http/json-schema.ts'
import { defineRoute, type Route } from '../http/route.ts'

const PROBES_PER_MINUTE = 600

/**
 * The routes about the platform itself:
 *
 * - `GET /health`: the process is alive; does not depend on other services.
 * - `GET /ready`: the database answers and has the required tables, the clock is close enough to the node's, and the
 *   process is not about to stop.
 * - `GET /v1/openapi.json`: the description of this API.
 * - `GET /` and `GET /v1`: links to the above.
 *
 * @param others every other route, for the description
 */
export function systemRoutes(
  parts: Pick<PlatformParts, 'database' | 'log' | 'settings' | 'clockSkew' | 'drain'>,
  others: readonly Route[] = [],
): readonly Route[] {
  let document: SchemaObject | undefined
  const routes: readonly Route[] = [
    waysInRoute('/', parts),
    waysInRoute('/v1', parts),
    defineRoute({
      method: 'GET',
      path: '/health',
      summary: 'Whether this process is alive',
      access: 'public',
      perMinute: PROBES_PER_MINUTE,
      answers: {
        200: { description: 'The process is alive', schema: z.strictObject({ status: z.literal('ok') }) },
      },
      handle: async () => ({ headers: { 'cache-control': 'no-store' }, body: { status: 'ok' } }),
    }),
    readyRoute(parts),
    defineRoute({
      method: 'GET',
      path: '/v1/openapi.json',
      summary: 'This API as an OpenAPI 3.1 document',
      access: 'public',
      answers: { 200: { description: 'The document', schema: z.looseObject({ openapi: z.string() }) } },
      handle: async () => {
        document ??= openapiDocument([...others, ...routes], parts.settings.publicUrl)
        return { headers: { 'cache-control': 'public, max-age=300' }, body: document }
      },
    }),
  ]
  return routes
}

function waysInRoute(path: '/' | '/v1', { settings }: Pick<PlatformParts, 'settings'>): Route {
  return defineRoute({
    method: 'GET',
    path,
    summary: 'Entry points of this API',
    access: 'public',
    answers: { 200: { description: 'The ways in', schema: waysIn } },
    handle: async () => ({
      headers: { 'cache-control': 'public, max-age=300' },
      body: {
        name: 'Farebox platform',
        agents: `${settings.publicUrl}/v1/agents`,
        api: `${settings.publicUrl}/v1/openapi.json`,
        receipt_keys: `${settings.publicUrl}/.well-known/jwks.json`,
      },
    }),
  })
}

const waysIn = z.strictObject({
  name: z.string(),
  agents: z.url().describe('What can be found'),
  api: z.url().describe('The whole API, described'),
  receipt_keys: z.url().describe('What receipts are checked by'),
})

const readiness = z.strictObject({
  ready: z.boolean(),
  database: z.string().describe('"ok", or the missing condition'),
  process: z.string().describe('"ok", or that it is stopping'),
  clock: z.string().describe('"ok", or how it differs from the node\'s; 503 from half a minute on'),
})

function readyRoute({
  database,
  log,
  clockSkew,
  drain,
}: Pick<PlatformParts, 'database' | 'log' | 'clockSkew' | 'drain'>): Route {
  return defineRoute({
    method: 'GET',
    path: '/ready',
    summary: 'Whether this process can serve requests',
    access: 'public',
    perMinute: PROBES_PER_MINUTE,
    answers: {
      200: { description: 'This process can serve requests', schema: readiness },
      503: { description: 'Not ready, with what is missing', schema: readiness },
    },
    handle: async () => {
      const problem = await askDatabase(database, error =>
        log.warn('the platform is not ready', { error: describeError(error) }),
      )
      const skew = clockSkew?.()
      const isStopping = drain?.isOn() === true
      const ready = problem === undefined && skew?.isUnfit !== true && !isStopping
      const process = isStopping ? 'it is stopping' : 'ok'
      const body = { ready, database: problem ?? 'ok', process, clock: skew?.said ?? 'ok' }
      return { status: ready ? 200 : 503, body }
    },
  })
}

/**
 * Also checks for tables, because a database restored to a state before the migrations answers but cannot be used.
 *
 * Resolves to a description of the problem; `undefined` when there is none.
 */
async function askDatabase(
  database: PlatformParts['database'],
  onProblem: (error: unknown) => void,
): Promise<string | undefined> {
  try {
    const [row] = await database.query<{ migrated: boolean }>(
      'is-ready',
      `select to_regclass('agents') is not null and to_regclass('sessions') is not null as migrated`,
    )
    return row?.migrated === true ? undefined : 'its migrations have not run'
  } catch (error) {
    onProblem(error)
    return 'out of reach'
  }
}
