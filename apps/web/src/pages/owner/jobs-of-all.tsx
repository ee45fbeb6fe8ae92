import type { OwnerJobLine } from '@farebox/platform-api/me/owner-dashboard'
import type { ReactNode } from 'react'
import { FindJob } from '../../owner/find-job.tsx'
import { JobsTable } from '../../owner/jobs-table.tsx'
import { LatestJobs } from '../../owner/latest-jobs.tsx'
import type { OwnerData } from './load-owner.ts'

/** The newest jobs of all agents, and a job searched by its id. */
export function JobsOfAll(props: {
  readonly jobs: readonly OwnerJobLine[]
  readonly names: ReadonlyMap<number, string>
  readonly sought: OwnerData['sought']
}): ReactNode {
  const { jobs, names, sought } = props
  const [only] = names.keys()
  const url = names.size === 1 ? `/owner/agents/${only}/jobs` : undefined
  return (
    <div id="jobs">
      <LatestJobs jobs={jobs} url={url} agents={names.size > 1 ? names : undefined} />
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
