import type { RunJob } from '@farebox/platform-api/flows/runs'
import { useContext, type ReactNode } from 'react'
import { jobWords, type JobWords } from '../../../flows/run-view/job-words.ts'
import { formatDuration } from '../../../format/duration.ts'
import { Hash } from '../../../parts/short.tsx'
import { When } from '../../../parts/when.tsx'
import { Sign } from '../../../signs/sign.tsx'
import { jobUrl, RunOpenerContext } from '../run-opener.ts'

/** An outcome in words, with its sign. */
export function OutcomeWords({ of }: { readonly of: JobWords }): ReactNode {
  const { words, tone, sign, until } = of
  return (
    <span className={`outcome-words ${tone}`}>
      {sign !== undefined && <Sign name={sign} />} {words}
      {until !== undefined && (
        <>
          {' '}
          until <When at={until} form="clock" />
        </>
      )}
    </span>
  )
}

/** One job of a run on a line: its outcome, its duration, its id, and its receipt. */
export function RunJobLine(props: {
  readonly job: RunJob
  /** The most seconds that its agent may take. */
  readonly mostSeconds: number
  /** Shown after it. */
  readonly children?: ReactNode
}): ReactNode {
  const { job, mostSeconds, children } = props
  const { payment } = job
  const opener = useContext(RunOpenerContext)
  const elapsed = job.job?.elapsed_ms ?? null
  return (
    <p className="sub">
      <OutcomeWords of={jobWords(job)} />
      {elapsed !== null && (
        <span>
          {formatDuration(elapsed)} of {mostSeconds} s
        </span>
      )}
      {payment !== null && job.attempt > 0 && (
        <>
          <span>
            job{' '}
            <a href={jobUrl(opener, payment.job_id)}>
              <Hash of={payment.job_id} />
            </a>
          </span>
          {payment.state === 'paid' && <a href={jobUrl(opener, payment.job_id, 'receipt')}>Receipt</a>}
        </>
      )}
      {children}
    </p>
  )
}
