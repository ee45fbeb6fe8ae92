import { runEventHeaders, runPath, runProgress } from '@farebox/platform-api/flows/runs'
import { failure } from '@farebox/platform-api/errors'
import type { Database } from '@farebox/server/internal/postgres/connect'
import { defineRoute, type Route } from '../http/route.ts'
import { versionEvents } from '../http/version-events.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { createVersionWatch } from '../work/watch-versions.ts'
import { authorizeRun } from './authorize-run.ts'
import type { RunRow } from './records/run-row.ts'
import { readRunRow } from './records/run-store.ts'
import { describeProgress } from './show-run.ts'

/** The route that streams the changes of a run. */
export function runEventsRoute(parts: PlatformParts): Route {
  const watch = createVersionWatch(parts, runIds => readVersions(parts.database, runIds))
  return defineRoute({
    method: 'GET',
    path: '/v1/runs/:runId/events',
    summary: 'The state of a run, and each change of it, as server-sent events',
    access: 'public',
    belongsTo: 'payer',
    perMinute: 120,
    params: runPath,
    headers: runEventHeaders,
    answers: {
      200: {
        description:
          'An event `run` at once, unless `last-event-id` names its current state, and after each change. Ends when nothing ' +
          'more can come of it, and after five minutes, after which the caller asks again',
        events: { run: runProgress },
      },
      204: {
        description:
          'It stands as `last-event-id` names it, and nothing more can come of it: do not connect again',
      },
      404: { description: 'No such run of yours', schema: failure },
      429: {
        description: 'The caller has twenty event streams open in this process, the maximum',
        schema: failure,
      },
    },
    async handle({ params, headers, caller }) {
      const known = await authorizeRun(parts, params.runId, { caller, token: headers['run-token'] })
      const seen = headers['last-event-id']
      // An EventSource reconnects after every end of the stream, except after a 204.
      if (seen !== undefined && known.plan.isOver && (await watch.isNow(known.runId, seen)))
        return { status: 204 }
      const shown = {
        event: 'run',
        read: () => readRunRow(parts.database, known.runId),
        describe: (run: RunRow) => describeProgress(parts, run),
        isOver: ({ plan }: RunRow) => plan.isOver,
      }
      return { events: signal => versionEvents(watch.versions(known.runId, signal), seen, shown) }
    },
  })
}

async function readVersions(
  database: Database,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await database.query<{ run_id: string; version: string }>(
    'read-run-versions',
    `select run_id, revision || '.' || news as version from runs where run_id = any($1::uuid[])`,
    [runIds],
  )
  return new Map(rows.map(row => [row.run_id, row.version]))
}
