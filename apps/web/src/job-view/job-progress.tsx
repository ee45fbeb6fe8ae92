import type { JobAnswer } from '@farebox/platform-api/jobs'
import type { ReactNode } from 'react'
import { formatDuration } from '../format/duration.ts'
import { Address } from '../parts/short.tsx'
import { When } from '../parts/when.tsx'
import type { SignedOrder } from '../kept/order.ts'

/** A job with its order, and the values that its line shows about the agent. */
export interface JobView {
  readonly order: Pick<SignedOrder, 'amount' | 'pay_to' | 'usable_until' | 'created_at' | 'refusal'>
  readonly job: JobAnswer | undefined
  /** The number of attempts to send the order that were not answered. */
  readonly unanswered: number
  /** Unix seconds. */
  readonly now: number
  /** The median response time of the agent; null when it is not known. */
  readonly usualMs: number | null
}

/** One stop of a line. */
export interface LineStop {
  readonly name: string
  readonly state: 'passed' | 'here' | 'failed' | 'ahead'
  readonly when?: ReactNode
  readonly children?: ReactNode
}

/** A line with its stops. */
export function StopLine({ stops }: { readonly stops: readonly LineStop[] }): ReactNode {
  return (
    <ol className="line" aria-live="polite">
      {stops.map(({ name, state, when, children }) => (
        <li key={name} className={state} aria-current={state === 'here' ? 'step' : undefined}>
          {state === 'failed' && (
            <svg className="cross" viewBox="0 0 20 20" aria-hidden="true">
              <circle cx="10" cy="10" r="10" stroke="none" />
              <path d="M6.5 6.5l7 7m0-7l-7 7" />
            </svg>
          )}
          {when !== undefined && <span className="when">{when}</span>}
          <b>{name}</b>
          {children}
        </li>
      ))}
    </ol>
  )
}

/** A job as a line with four stops: signed, running, settling, receipt. */
export function JobProgress({ view }: { readonly view: JobView }): ReactNode {
  return <StopLine stops={stopsOf(view)} />
}

function stopsOf(view: JobView): readonly LineStop[] {
  const { order, job } = view
  const isRefused = order.refusal !== undefined || job?.error_type === 'payment'
  const signed: LineStop = {
    name: 'Signed',
    state: isRefused ? 'failed' : 'passed',
    when: <When at={order.created_at} form="clock" />,
    children: (
      <p>
        {order.amount} USDC to <Address of={order.pay_to} />, valid for this job until{' '}
        <When at={order.usable_until} form="clock" />
      </p>
    ),
  }
  return [signed, runningStop(view, isRefused), settlingStop(job), receiptStop(job)]
}

function runningStop(view: JobView, isRefused: boolean): LineStop {
  const { job, now } = view
  if (isRefused) return { name: 'Running', state: 'ahead' }
  if (job === undefined) return sendingStop(view)
  const took = job.elapsed_ms === null ? {} : { when: formatDuration(job.elapsed_ms) }
  switch (job.status) {
    case 'sent':
      return waitingStop(view, job)
    case 'pending':
    case 'completed':
      return { name: 'Running', state: 'passed', ...took }
    case 'failed':
      return {
        name: 'Not delivered',
        state: 'failed',
        ...took,
        children: (
          <p>
            <bdi>{job.error ?? 'The agent did not give a reason.'}</bdi>
          </p>
        ),
      }
    case 'expired':
      return {
        name: 'Running',
        state: job.payment.status === 'open' && now < job.payment.usable_until ? 'here' : 'failed',
        children: (
          <p>
            The agent did not respond by the deadline, <When at={job.expires_at} form="clock" />.
          </p>
        ),
      }
  }
}

function sendingStop({ unanswered }: JobView): LineStop {
  const words =
    unanswered === 0
      ? 'Your order is being sent.'
      : 'Your order may have arrived. This page is sending the same job again. You cannot be charged for it twice.'
  return { name: 'Sending', state: 'here', children: <p>{words}</p> }
}

/** The stop of a job that the agent has received, until its deadline. */
function waitingStop({ now, usualMs }: JobView, job: JobAnswer): LineStop {
  const whole = Math.max(1, job.expires_at - job.created_at)
  const gone = Math.min(Math.max(0, now - job.created_at), whole)
  return {
    name: 'Running',
    state: 'here',
    when: formatDuration(1_000 * gone),
    children: (
      <>
        <p>
          <bdi>{job.agent_name}</bdi> has {formatDuration(1_000 * whole)} to respond.
          {usualMs !== null && ` It usually responds in ${formatDuration(usualMs)}.`}
        </p>
        <progress max={whole} value={gone} aria-label="Elapsed time" />
      </>
    ),
  }
}

function settlingStop(job: JobAnswer | undefined): LineStop {
  switch (job?.status) {
    case 'pending':
      return {
        name: 'Settling',
        state: 'here',
        children: <p>The job was delivered, and the payment is being settled. Do not pay again.</p>,
      }
    case 'completed':
      return { name: 'Settling', state: 'passed' }
    case undefined:
    case 'sent':
    case 'failed':
    case 'expired':
      return { name: 'Settling', state: 'ahead', children: <p>Only if the job is delivered</p> }
  }
}

function receiptStop(job: JobAnswer | undefined): LineStop {
  if (job?.status !== 'completed') return { name: 'Receipt', state: 'ahead' }
  const block = job.payment.block_number
  return {
    name: 'Receipt',
    state: 'passed',
    children: block === null ? null : <p>The transfer was confirmed in block {block}.</p>,
  }
}
