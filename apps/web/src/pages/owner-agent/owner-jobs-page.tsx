import type { OwnerJobs } from '@farebox/platform-api/me/owner-dashboard'
import type { ReactNode } from 'react'
import { FindJob } from '../../owner/find-job.tsx'
import { JobsTable } from '../../owner/jobs-table.tsx'
import { Words } from '../../parts/words.tsx'
import { loadSignedIn } from '../../session/load-signed-in.ts'
import { SignInGate } from '../../session/sign-in-gate.tsx'
import { answers } from '../../site/answers.ts'
import type { PageModule } from '../../site/page.ts'
import type { OwnAgent } from '../../owner/read-parts.ts'
import { readAgentIdParam, loadOwnAgent } from './load-owner-agent.ts'

interface Data {
  readonly agent: OwnAgent
  readonly jobs: OwnerJobs
  readonly status: Status | ''
  readonly jobId: string
  /** Whether this is a page after the first one. */
  readonly isFurther: boolean
}

type Status = OwnerJobs['jobs'][number]['status']

const PER_PAGE = 50
const STATUSES: readonly (readonly [status: Status | '', words: string])[] = [
  ['', 'All'],
  ['completed', 'Paid'],
  ['failed', 'Failed'],
  ['expired', 'No response'],
  ['pending', 'Settling'],
  ['sent', 'Running'],
]

/** The jobs of one agent, page by page, filtered by status or by id. Data: null when the reader is signed out. */
export const page: PageModule<Data | null> = {
  async load({ params, query, ask }) {
    const agentId = readAgentIdParam(params)
    const status = STATUSES.find(([one]) => one === query.get('status'))?.[0] ?? ''
    const jobId = query.get('job_id')?.trim() ?? ''
    const cursor = query.get('cursor') ?? ''
    const asked = new URLSearchParams({ limit: String(PER_PAGE) })
    if (jobId !== '') asked.set('job_id', jobId)
    else {
      if (status !== '') asked.set('status', status)
      if (cursor !== '') asked.set('cursor', cursor)
    }
    return await loadSignedIn(async () => {
      const [agent, jobs] = await Promise.all([
        loadOwnAgent(ask, agentId),
        ask(`/v1/me/agents/${agentId}/jobs?${asked}`, answers.ownerJobs),
      ])
      return { agent, jobs, status, jobId, isFurther: cursor !== '' && jobId === '' }
    })
  },
  head: data => ({ title: data === null ? 'Jobs' : `Jobs for ${data.agent.name}`, personal: true }),
  Page: ({ data }) =>
    data === null ? (
      <SignInGate
        title="Your agent’s jobs"
        lede="See when each job was ordered, how it ended, and what it earned. Only the payer can see a job’s contents."
        why="Only the owner of the agent can see these jobs."
        hint="Use the wallet that owns the agent."
      />
    ) : (
      <OwnerJobsPage data={data} />
    ),
}

function OwnerJobsPage({ data }: { readonly data: Data }): ReactNode {
  const { agent, jobs, status, jobId, isFurther } = data
  const path = `/owner/agents/${agent.agent_id}/jobs`
  return (
    <main id="main" className="page near">
      <p className="crumb">
        <a href="/owner">Your agents</a> /{' '}
        <a href={`/owner/agents/${agent.agent_id}`}>
          <Words of={agent.name} most={64} />
        </a>{' '}
        / Jobs
      </p>
      <h1>
        Jobs for <Words of={agent.name} most={64} />
      </h1>
      <div className="job-tools">
        <nav className="chips" aria-label="Filter jobs">
          {STATUSES.map(([value, words]) => (
            <a
              key={value}
              className={value === status && jobId === '' ? 'chip on' : 'chip'}
              href={value === '' ? path : `${path}?status=${value}`}
              aria-current={value === status && jobId === '' ? 'true' : undefined}
            >
              {words}
            </a>
          ))}
        </nav>
        <FindJob action={path} name="job_id" value={jobId} />
      </div>
      <div className="ruled-top">
        {jobs.jobs.length === 0 ? (
          <p className="nothing quiet">{describeNone(data)}</p>
        ) : (
          <JobsTable label={`Jobs for ${agent.name}`} jobs={jobs.jobs} />
        )}
      </div>
      <nav className="acts-line" aria-label="Pages of jobs">
        {isFurther && <a href={status === '' ? path : `${path}?status=${status}`}>Newest jobs</a>}
        {jobs.next_cursor !== null && jobId === '' && (
          <a
            className="button"
            href={`${path}?${new URLSearchParams({ ...(status !== '' && { status }), cursor: jobs.next_cursor })}`}
          >
            Older jobs
          </a>
        )}
      </nav>
    </main>
  )
}

function describeNone({ jobId, status, isFurther }: Data): string {
  if (jobId !== '') return `This agent does not have a job with the ID ${jobId.slice(0, 64)}.`
  if (isFurther) return 'There are no older jobs.'
  return status === '' ? 'No jobs yet.' : 'No jobs with this status.'
}
