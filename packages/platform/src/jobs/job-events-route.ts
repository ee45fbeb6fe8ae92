import { job, jobEventHeaders, jobPath } from '@farebox/platform-api/jobs'
import { defineRoute, type Route, type ServerEvent } from '../http/route.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { openJob, shownBy } from './order/open-job.ts'
import type { JobRow } from './records/job-row.ts'
import { readJob } from './records/job-store.ts'
import type { VersionWatch } from '../work/watch-versions.ts'
import { createJobWatch } from './records/watch-jobs.ts'
import { describeJob } from './show-job.ts'

/** The changes of a job as they happen, for its payer. */
export function jobEventsRoute(parts: PlatformParts): Route {
  const watch = createJobWatch(parts)
  return defineRoute({
    method: 'GET',
    path: '/v1/jobs/:jobId/events',
    summary: 'How a job stands, again after each change, as server-sent events',
    access: 'public',
    belongsTo: 'payer',
    perMinute: 120,
    params: jobPath,
    headers: jobEventHeaders,
    answers: {
      200: {
        description:
          'An event `job` at once, unless `last-event-id` names how it stands, and after each change. Ends when nothing ' +
          'more is expected: delivered and paid, or not delivered and its payment of no more use; and after five minutes, ' +
          'to be asked for anew',
        events: { job },
      },
      204: {
        description:
          'It stands as `last-event-id` names it, and nothing more is expected: do not connect again',
      },
      404: { description: 'No such job of yours' },
      429: { description: 'Twenty streams of one caller are the most there may be, in one process' },
    },
    async handle({ params, headers, caller }) {
      const known = await openJob(parts, params.jobId, shownBy(caller, headers))
      const seen = headers['last-event-id']
      // An EventSource connects again after every end, and for the last time where it is answered so.
      if (seen !== undefined && isOver(known) && (await watch.isNow(known.jobId, seen)))
        return { status: 204 }
      return { events: signal => jobEvents(parts, watch, { jobId: known.jobId, seen, signal }) }
    },
  })
}

async function* jobEvents(
  parts: PlatformParts,
  watch: VersionWatch,
  {
    jobId,
    seen,
    signal,
  }: { readonly jobId: string; readonly seen: string | undefined; readonly signal: AbortSignal },
): AsyncGenerator<ServerEvent> {
  let isFirst = true
  for await (const id of watch.versions(jobId, signal)) {
    const known = await readJob(parts.database, jobId)
    if (known === undefined) return
    if (!isFirst || id !== seen) yield { event: 'job', id, data: await describeJob(parts, known) }
    if (isOver(known)) return
    isFirst = false
  }
}

/** Nothing more will be heard of it: not of the agent, and not of the payment. */
function isOver({ nextDueAtMs, answer, payment }: JobRow): boolean {
  if (nextDueAtMs === undefined) return true
  return payment !== 'open' && (answer === 'completed' || (answer === 'failed' && payment === 'dead'))
}
