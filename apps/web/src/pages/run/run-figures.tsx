import type { Flow } from '@farebox/flows/document/flow'
import type { RunAnswer } from '@farebox/platform-api/flows/runs'
import type { ReactNode } from 'react'
import { nameStop } from '../../flows/describe/name-stop.ts'
import { groupDigits } from '../../format/amount.ts'
import { formatDuration } from '../../format/duration.ts'
import type { KeptRun } from '../../kept/kept-run.ts'
import { Address } from '../../parts/short.tsx'
import { When } from '../../parts/when.tsx'
import { Words } from '../../parts/words.tsx'

/** The most that a run may cost, what it has cost so far, and what can still be charged. */
export function RunFigures(props: {
  readonly flow: Flow
  readonly run: RunAnswer
  readonly kept: KeptRun | undefined
}): ReactNode {
  const { flow, run, kept } = props
  const longest = longestJob(run)
  return (
    <dl className="facts-list run-facts">
      <dt>Maximum</dt>
      <dd>{groupDigits(run.max_total)} USDC</dd>
      <dt>Paid</dt>
      <dd>{run.paid === '0' ? 'nothing' : `${groupDigits(run.paid)} USDC, confirmed on-chain`}</dd>
      <dt>Open</dt>
      <dd>
        {run.exposed === '0' ? (
          'nothing'
        ) : (
          <>
            {groupDigits(run.exposed)} USDC may be charged
            {run.exposed_until !== null && (
              <>
                {' '}
                until <When at={run.exposed_until} form="clock" />
              </>
            )}
          </>
        )}
      </dd>
      {run.ready !== '0' && (
        <>
          <dt>Signed</dt>
          <dd>{groupDigits(run.ready)} USDC, not sent yet</dd>
        </>
      )}
      {run.payer !== null && (
        <>
          <dt>From</dt>
          <dd>
            {kept !== undefined && (
              <>
                <bdi>{kept.wallet}</bdi>,{' '}
              </>
            )}
            <Address of={run.payer} />
          </dd>
        </>
      )}
      {longest !== undefined && (
        <>
          <dt>Longest step</dt>
          <dd>
            <Words of={nameStop(flow, longest.step)} most={64} />, {formatDuration(longest.elapsedMs)}
          </dd>
        </>
      )}
    </dl>
  )
}

function longestJob(run: RunAnswer): { readonly step: string; readonly elapsedMs: number } | undefined {
  const timed = run.steps.flatMap(({ step, jobs }) =>
    jobs.flatMap(({ job }) =>
      job?.elapsed_ms === null || job?.elapsed_ms === undefined ? [] : [{ step, elapsedMs: job.elapsed_ms }],
    ),
  )
  return timed.toSorted((one, other) => other.elapsedMs - one.elapsedMs)[0]
}
