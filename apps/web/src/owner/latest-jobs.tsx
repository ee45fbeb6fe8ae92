import type { OwnerJobLine } from '@farebox/platform-api/me/owner-dashboard'
import type { ReactNode } from 'react'
import { Heading } from '../parts/page/heading.tsx'
import { JobsTable } from './jobs-table.tsx'

/** The newest jobs of an owner's agents, and the way to all of them. */
export function LatestJobs(props: {
  readonly jobs: readonly OwnerJobLine[]
  /** The page of all jobs; undefined: they are of several agents, and there is none. */
  readonly url: string | undefined
  /** Names of the agents by their numbers, where the jobs are of several. */
  readonly agents?: ReadonlyMap<number, string> | undefined
}): ReactNode {
  const { jobs, url, agents } = props
  return (
    <>
      <Heading look="close" end={url !== undefined && <a href={url}>All jobs</a>}>
        Latest jobs
      </Heading>
      {jobs.length === 0 ? (
        <p className="nothing faint">No jobs yet.</p>
      ) : (
        <JobsTable label="Latest jobs" jobs={jobs} {...(agents !== undefined && { agents })} />
      )}
    </>
  )
}
