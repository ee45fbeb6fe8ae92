import { job, jobEventHeaders, jobPath } from '@farebox/platform-api/jobs'
import { defineRoute, type Route } from '../http/route.ts'
import { versionEvents } from '../http/version-events.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { openJob, shownBy } from './order/open-job.ts'
import type { JobRow } from './records/job-row.ts'
import { readJob } from './records/job-store.ts'
import { createJobWatch } from './records/watch-jobs.ts'
import { describeJob } from './show-job.ts'

/** The route that streams a job's changes to its payer. */
export function jobEventsRoute(parts: PlatformParts): Route {
  const watch = createJobWatch(parts)
  return defineRoute({
    method: 'GET',
    path: '/v1/jobs/:jobId/events',
    summary: 'The state of a job, and each change of it, as server-sent events',
    access: 'public',
    belongsTo: 'payer',
    perMinute: 120,
    params: jobPath,
    headers: jobEventHeaders,
    answers: {
      200: {
        description:
          'An event `job` at once, unless `last-event-id` names its current state, and after each change. Ends when nothing ' +
          'more is expected: delivered and paid, or not delivered and its payment of no more use; and after five minutes, ' +
          'after which the caller asks again',
        events: { job },
      },
      204: {
        description:
          'It stands as `last-event-id` names it, and nothing more is expected: do not connect again',
      },
      404: { description: 'No such job of yours' },
      429: { description: 'The caller has twenty event streams open in this process, the maximum' },
    },
    async handle({ params, headers, caller }) {
      const known = await openJob(parts, params.jobId, shownBy(caller, headers))
      const seen = headers['last-event-id']
      // An EventSource reconnects after every end; status 204 makes it stop.
      if (seen !== undefined && isOver(known) && (await watch.isNow(known.jobId, seen)))
        return { status: 204 }
      const shown = {
        event: 'job',
        read: () => readJob(parts.database, known.jobId),
        describe: (row: JobRow) => describeJob(parts, row),
        isOver,
      }
      return { events: signal => versionEvents(watch.versions(known.jobId, signal), seen, shown) }
    },
  })
}

/** Whether nothing can change any more, neither the agent's answer nor the payment. */
function isOver({ nextDueAtMs, answer, payment }: JobRow): boolean {
  if (nextDueAtMs === undefined) return true
  return payment !== 'open' && (answer === 'completed' || (answer === 'failed' && payment === 'dead'))
}
