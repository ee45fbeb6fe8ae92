import type { JobAnswer } from '@farebox/platform-api/jobs'
import type { FieldMap } from '@farebox/protocol/fields/field'
import { useEffect, useRef, useState, type ReactNode, type RefObject } from 'react'
import { JobLine } from '../job-view/job-line.tsx'
import { JobTicket } from '../job-view/job-ticket.tsx'
import { OutputView } from '../job-view/output-view.tsx'
import type { Order } from '../kept/order.ts'
import { Note } from '../parts/note.tsx'
import { Hash } from '../parts/short.tsx'
import { When } from '../parts/when.tsx'
import { keepInput } from './input-again.ts'
import { JobActions } from './job-actions.tsx'
import { useNow } from './use-now.ts'
import { useReceiptHash } from './use-receipt-hash.ts'

/** A job that was ordered here: its line, then its output and ticket. The money first, then why, then the way on. */
export function JobPanel(props: {
  readonly execution: { readonly order: Order; readonly unanswered: number; readonly isFresh: boolean }
  readonly usualMs: number | null
  readonly fields: FieldMap
  readonly isItsPage?: boolean
  /** Undefined: it is not ordered from here. */
  readonly retry?: ((order: Order) => void) | undefined
  /** Where its limit is changed; undefined: it moves nothing of its caller's. */
  readonly limit?: string | undefined
}): ReactNode {
  const { execution, usualMs, fields, retry, limit, isItsPage = false } = props
  const { order, unanswered, isFresh } = execution
  const { job, refusal } = order
  const isUnderWay =
    refusal === undefined && (job === undefined || job.status === 'sent' || job.status === 'pending')
  const now = useNow(
    isUnderWay || (job !== undefined && job.charged !== true && job.payment.status === 'open'),
  )
  const receiptHash = useReceiptHash(order.job_id)
  const outcome = useOutcomeFocus(isUnderWay)
  if (job?.status === 'completed' && job.output !== null && !job.charged_without_delivery) {
    return (
      <div className="outcome">
        <h2 ref={outcome} tabIndex={-1} className="unseen">
          Delivered and paid
        </h2>
        <Output job={job} fields={fields} />
        <JobTicket
          job={job}
          order={order}
          now={now}
          isFresh={isFresh}
          receiptHash={receiptHash}
          mayMove={limit !== undefined}
        >
          <JobActions order={order} job={job} isItsPage={isItsPage} />
        </JobTicket>
      </div>
    )
  }
  return (
    <div className="outcome">
      <h2 ref={outcome} tabIndex={-1} className="with-switch">
        Job
        <span className="end small faint">
          <Hash of={order.job_id} />
        </span>
      </h2>
      <JobLine view={{ order, job, unanswered, now, usualMs }} />
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
      {job !== undefined && !isUnderWay && (
        <JobTicket
          job={job}
          order={order}
          now={now}
          isFresh={false}
          receiptHash={receiptHash}
          mayMove={limit !== undefined}
        >
          {job.retry.possible && retry !== undefined && (
            <Retry amount={job.amount} until={job.retry.until} retry={() => retry(order)} />
          )}
          <JobActions order={order} job={job} isItsPage={isItsPage} />
        </JobTicket>
      )}
    </div>
  )
}

/** The heading of a job, which takes the focus once the job that was under way has an outcome. */
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

/** What to change where the agent refused the input. */
function InputNote({
  order,
  limit,
}: {
  readonly order: Order
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

/** The platform's reason, after what matters most: nothing was charged. */
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
function isBeyondLimit(job: Order['job']): boolean {
  return job?.status === 'failed' && job.error_type === 'validation' && /\ballowance\b/i.test(job.error ?? '')
}

/** The same job once more, with the payment that was signed: it can be used once, whatever becomes of it. */
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
