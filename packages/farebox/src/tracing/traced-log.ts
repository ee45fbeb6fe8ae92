import type { Log, LogFields } from '../log.ts'
import type { JobTraces } from './job-traces.ts'

/**
 * Adds the trace and the payment's key to every line that names a job in flight, as the last fields: the interface's words
 * come first (D27). A line that has a `trace` of its own keeps it.
 */
export function traceLog(log: Log, jobs: JobTraces): Log {
  const traced = (fields: LogFields, jobId: LogFields[string] | undefined): LogFields => {
    if (typeof jobId !== 'string' || fields['trace'] !== undefined) return fields
    const found = jobs.fieldsOf(jobId)
    // Half the time of spreading both into a literal, for each line of the paid path.
    return found === undefined ? fields : Object.assign({}, fields, found)
  }
  return {
    job: (event, jobId, fields = {}) => log.job(event, jobId, traced(fields, jobId)),
    note: (event, fields = {}) => log.note(event, traced(fields, fields['job'])),
    warn: (event, fields = {}) => log.warn(event, traced(fields, fields['job'])),
    flush: () => log.flush(),
  }
}
