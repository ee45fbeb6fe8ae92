import type { FirstJob } from './first-job.ts'

/** A page that is held to the goals. */
export interface VisitedPage {
  readonly name: string
  readonly path: string
  /** Search engines are to find it. */
  readonly isPublic: boolean
  /** What is on it once it has its content. */
  readonly shows: string
}

/** The four pages, of one paid job and its agent. */
export function visitedPages({
  agentId,
  jobId,
}: Pick<FirstJob, 'agentId' | 'jobId'>): readonly VisitedPage[] {
  return [
    { name: 'marketplace', path: '/', isPublic: true, shows: '.rows .entry' },
    { name: 'agent', path: `/agents/${agentId}`, isPublic: true, shows: '#run form' },
    { name: 'job', path: `/jobs/${jobId}`, isPublic: false, shows: '.ticket' },
    { name: 'your agents', path: '/owner', isPublic: false, shows: '.figures' },
  ]
}
