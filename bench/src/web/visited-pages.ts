import type { FirstJob } from './owner-session.ts'

/** A page that is held to the goals. */
export interface VisitedPage {
  readonly name: string
  readonly path: string
  /** Search engines are to find it. */
  readonly isPublic: boolean
}

/** The four pages, of one paid job and its agent. */
export function visitedPages({ agentId, jobId }: FirstJob): readonly VisitedPage[] {
  return [
    { name: 'marketplace', path: '/', isPublic: true },
    { name: 'agent', path: `/agents/${agentId}`, isPublic: true },
    { name: 'job', path: `/jobs/${jobId}`, isPublic: false },
    { name: 'your agents', path: '/owner', isPublic: false },
  ]
}
