import type { OwnerJobLine } from '@farebox/platform-api/me/owner-dashboard'
import type { ReactNode } from 'react'
import { Heading } from '../parts/page/heading.tsx'
import { JobsTable } from './jobs-table.tsx'

/** The newest jobs of an owner's agents, with a link to all jobs. */
export function LatestJobs(props: {
  readonly jobs: readonly OwnerJobLine[]
  /** The page of all jobs; undefined for jobs of several agents, which have no such page. */
  readonly url: string | undefined
  /** Names of the agents by number, if the jobs belong to several agents. */
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
