import type { Clock, Log } from 'farebox'
import type { JobEvent } from '../messages/messages.ts'

/**
 * The agent's log as `farebox dev` wants it: the events of jobs are reported too, where they are asked for, and what
 * the heading says is not said again at each restart.
 */
export function createReportingLog(
  log: Log,
  clock: Clock,
  report: ((event: JobEvent) => void) | undefined,
): Log {
  return {
    job(event, jobId, fields) {
      log.job(event, jobId, fields)
      report?.({ event, jobId, fields: fields ?? {}, atMs: clock.nowMs() })
    },
    note: (event, fields) => log.note(event, fields),
    warn(event, fields) {
      if (!event.startsWith('dev mode: ')) log.warn(event, fields)
      // What goes wrong with a job's money is a warning that names the job.
      const jobId = fields?.['job']
      if (typeof jobId === 'string') report?.({ event, jobId, fields: fields ?? {}, atMs: clock.nowMs() })
    },
    flush: () => log.flush(),
  }
}
