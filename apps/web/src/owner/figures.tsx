import type { JobCounts } from '@farebox/platform-api/owners'
import type { ReactNode } from 'react'
import { groupDigits } from '../format/amount.ts'
import { formatDuration } from '../format/duration.ts'
import { formatCount, formatShare } from '../format/share.ts'

/** The figures of one agent of an owner, or of all agents together. */
export interface OwnerFigures {
  readonly earned: string
  readonly jobs: JobCounts
  readonly success: number | null
  readonly p50_ms: number | null
  readonly p95_ms: number | null
  /** The amount of the jobs without an outcome, in decimal USDC; undefined when it is not known. */
  readonly openAmount?: string
}

/** Five figures; a figure that is not known yet is replaced by words. */
export function Figures({ of }: { readonly of: OwnerFigures }): ReactNode {
  const { earned, jobs, success, p50_ms: half, p95_ms: most, openAmount } = of
  return (
    <dl className="figures">
      <Figure name="Earned" below="from confirmed transfers">
        {groupDigits(earned)} <span>USDC</span>
      </Figure>
      <Figure name="Jobs" below={`of ${formatCount(jobs.sent)} ordered`}>
        {formatCount(jobs.completed)}
      </Figure>
      <Figure name="Delivered" below={describeRest(jobs)}>
        {success === null ? <span className="unknown">not known yet</span> : formatShare(success, 1)}
      </Figure>
      <Figure name="Median response time" below={most === null ? '' : `95% within ${formatDuration(most)}`}>
        {half === null ? <span className="unknown">not known yet</span> : formatDuration(half)}
      </Figure>
      <Figure
        name="Open now"
        below={
          openAmount === undefined || jobs.open === 0 ? '' : `${groupDigits(openAmount)} USDC, no outcome yet`
        }
      >
        {formatCount(jobs.open)}
      </Figure>
    </dl>
  )
}

/** One figure with its name, and a note below it. */
export function Figure(props: {
  readonly name: string
  readonly below: ReactNode
  readonly children: ReactNode
}): ReactNode {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd>
        {props.children}
        <small>{props.below}</small>
      </dd>
    </div>
  )
}

function describeRest({ failed, expired, sent }: JobCounts): string {
  if (sent === 0) return 'no jobs yet'
  if (failed + expired === 0) return 'none failed'
  return `${formatCount(failed)} failed, ${formatCount(expired)} without a response`
}
