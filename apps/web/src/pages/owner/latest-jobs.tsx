import type { OwnerJobLine } from '@farebox/platform-api/me/owner-dashboard'
import type { ReactNode } from 'react'
import { FindJob } from '../../owner/find-job.tsx'
import { JobsTable } from '../../owner/jobs-table.tsx'
import type { OwnerData } from './load-owner.ts'

/** The newest jobs of all agents, and one that is looked for by its id. */
export function LatestJobs(props: {
  readonly jobs: readonly OwnerJobLine[]
  readonly names: ReadonlyMap<number, string>
  readonly sought: OwnerData['sought']
}): ReactNode {
  const { jobs, names, sought } = props
  const agents = names.size > 1 ? names : undefined
  const [only] = names.keys()
  return (
    <div id="jobs">
      <div className="heading close">
        <h2>Latest jobs</h2>
        {names.size === 1 && (
          <span className="end">
            <a href={`/owner/agents/${only}/jobs`}>All jobs</a>
          </span>
        )}
      </div>
      {jobs.length === 0 ? (
        <p className="nothing faint">No jobs yet.</p>
      ) : (
        <JobsTable label="Latest jobs" jobs={jobs} {...(agents !== undefined && { agents })} />
      )}
      <FindJob action="/owner#jobs" name="job" value={sought?.jobId ?? ''} />
      {sought !== null &&
        (sought.found === null ? (
          <p className="small bad" role="status">
            None of your agents has a job with this ID.
          </p>
        ) : (
          <JobsTable label="Job found" jobs={[sought.found]} agents={names} />
        ))}
    </div>
  )
}
