import type { JobAnswer } from '@farebox/platform-api/jobs'
import type { FieldMap } from '@farebox/protocol/fields/field'
import { useEffect, useRef, useState, type ReactNode, type RefObject } from 'react'
import { JobProgress } from '../job-view/job-progress.tsx'
import { JobTicket } from '../job-view/job-ticket.tsx'
import { OutputView } from '../job-view/output-view.tsx'
import type { SignedOrder } from '../kept/order.ts'
import { Note } from '../parts/note.tsx'
import { Hash } from '../parts/short.tsx'
import { When } from '../parts/when.tsx'
import { keepInput } from './input-again.ts'
import { JobActions } from './job-actions.tsx'
import { isOrderUnderWay } from './checkout/under-way.ts'
import { useNow } from './use-now.ts'
import { useReceiptHash } from './use-receipt-hash.ts'

interface Props {
  readonly execution: { readonly order: SignedOrder; readonly unanswered: number; readonly isFresh: boolean }
  readonly usualMs: number | null
  readonly fields: FieldMap
  /** Whether it is shown on the job's own page. */
  readonly isItsPage?: boolean
  /** Undefined when it cannot be sent again from this page. */
  readonly retry?: ((order: SignedOrder) => void) | undefined
  /** The page that sets the job's limit; undefined when the job moves no tokens of its caller. */
  readonly limit?: string | undefined
}

/**
 * A job ordered on this page: its line, then its output and ticket. The charge comes first, then the reason, then the next
 * step.
 */
export function JobPanel(props: Props): ReactNode {
  const { order } = props.execution
  const { job } = order
  const isUnderWay = isOrderUnderWay(order)
  const now = useNow(
    isUnderWay || (job !== undefined && job.charged !== true && job.payment.status === 'open'),
  )
  const receiptHash = useReceiptHash(order.job_id)
  const heading = useOutcomeFocus(isUnderWay)
  const isDelivered = job?.status === 'completed' && job.output !== null && !job.charged_without_delivery
  return (
    <div className="outcome">
      {isDelivered ? (
        <>
          <h2 ref={heading} tabIndex={-1} className="unseen">
            Delivered and paid
          </h2>
          <Output job={job} fields={props.fields} />
        </>
      ) : (
        <>
          <h2 ref={heading} tabIndex={-1} className="with-switch">
            Job
            <span className="end small faint">
              <Hash of={order.job_id} />
            </span>
          </h2>
          <Progress {...props} isUnderWay={isUnderWay} now={now} />
        </>
      )}
      {job !== undefined && !isUnderWay && (
        <PanelTicket {...props} job={job} now={now} receiptHash={receiptHash} isDelivered={isDelivered} />
      )}
    </div>
  )
}

/** A ref for the heading of a job. It takes the focus when the job in progress gets an outcome. */
function useOutcomeFocus(isUnderWay: boolean): RefObject<HTMLHeadingElement | null> {
  const outcome = useRef<HTMLHeadingElement>(null)
  const [wasUnderWay] = useState(isUnderWay)
  useEffect(() => {
    if (wasUnderWay && !isUnderWay) outcome.current?.focus()
  }, [wasUnderWay, isUnderWay])
  return outcome
}

function Output({ job, fields }: { readonly job: JobAnswer; readonly fields: FieldMap }): ReactNode {
  return (
    <>
      <OutputView
        output={job.output as never}
        fields={fields}
        fileName={`farebox-${job.job_id.slice(0, 8)}`}
      />
      {job.output_problem !== null && (
        <Note tone="warn">
          <p>
            The output does not match what the agent declared: <bdi>{job.output_problem}</bdi>
          </p>
        </Note>
      )}
    </>
  )
}

/** The line of a job that has not delivered yet, and why it stopped. */
function Progress(props: Props & { readonly isUnderWay: boolean; readonly now: number }): ReactNode {
  const { execution, usualMs, limit, isUnderWay, now } = props
  const { order, unanswered } = execution
  const { job, refusal } = order
  return (
    <>
      <JobProgress view={{ order, job, unanswered, now, usualMs }} />
      <InputNote order={order} limit={limit} />
      {refusal !== undefined && <RefusalNote sentence={refusal.sentence} />}
      {isUnderWay && (
        <Note tone="info">
          <p>
            You can leave this page. The job will continue, and you will find it under{' '}
            <a href="/jobs">Jobs</a>. If the response is lost, asking again will not charge you twice.
          </p>
        </Note>
      )}
    </>
  )
}

/** A hint at how to change a refused input. */
function InputNote({
  order,
  limit,
}: {
  readonly order: SignedOrder
  readonly limit: string | undefined
}): ReactNode {
  const { job } = order
  if (limit !== undefined && isBeyondLimit(job)) {
    return (
      <Note tone="info">
        <p>
          This job tried to move more of your tokens than your limit allows.{' '}
          <a
            href={limit}
            onClick={() =>
              keepInput({ agentId: order.agent_id, capability: order.capability, input: order.input })
            }
          >
            Change the limit
          </a>
          , or request less.
        </p>
      </Note>
    )
  }
  if (job?.status !== 'failed' || job.error_type !== 'validation') return null
  return (
    <Note tone="info">
      <p>Correct the input and try again. The payment is not tied to the input.</p>
    </Note>
  )
}

/** The platform's reason, after the most important message: nothing was charged. */
function RefusalNote({ sentence }: { readonly sentence: string }): ReactNode {
  return (
    <Note tone="refused" alert>
      <p>
        <b>Not charged.</b> <bdi>{sentence}</bdi>
      </p>
      <p>
        {sentence.startsWith('deadline:')
          ? 'The order reached the platform too late, so no job was created. Sign again to start a new job.'
          : 'The platform rejected the order, so no job was created. Change the order and sign again.'}
      </p>
    </Note>
  )
}

/** Whether the agent refused because the permission, or the approval behind it, allows less. */
function isBeyondLimit(job: SignedOrder['job']): boolean {
  return job?.status === 'failed' && job.error_type === 'validation' && /\ballowance\b/i.test(job.error ?? '')
}

/** The ticket of a job with an outcome, and the actions on the job. */
function PanelTicket(
  props: Props & {
    readonly job: JobAnswer
    readonly now: number
    readonly receiptHash: string | undefined
    readonly isDelivered: boolean
  },
): ReactNode {
  const { execution, job, now, receiptHash, isDelivered, retry, limit, isItsPage = false } = props
  const { order, isFresh } = execution
  return (
    <JobTicket
      job={job}
      order={order}
      now={now}
      isFresh={isFresh && isDelivered}
      receiptHash={receiptHash}
      mayMove={limit !== undefined}
    >
      {job.retry.possible && retry !== undefined && (
        <Retry amount={job.amount} until={job.retry.until} retry={() => retry(order)} />
      )}
      <JobActions order={order} job={job} isItsPage={isItsPage} />
    </JobTicket>
  )
}

/** Sends the same job again with the payment that was signed, which can be charged only once. */
function Retry(props: {
  readonly amount: string
  readonly until: number | null
  readonly retry: () => void
}): ReactNode {
  const { amount, until, retry } = props
  return (
    <div className="row again">
      <button type="button" className="button fare" onClick={retry}>
        Try again, {amount} USDC
      </button>
      <a className="button tall" href="/">
        Find another agent
      </a>
      <p className="hint centre">Not charged · the same payment will be sent again</p>
      <p className="aside">
        This resends the same job with the same payment, which can be used only once
        {until !== null && (
          <>
            , until <When at={until} form="clock" />
          </>
        )}
        .
      </p>
    </div>
  )
}
