import type { JobAnswer } from '@farebox/platform-api/jobs'
import { useState, type ReactNode } from 'react'
import type { SignedOrder } from '../kept/order.ts'
import { useAction } from '../site/action.ts'
import { answers } from '../site/answers.ts'
import { useNavigation } from '../site/navigation.ts'
import { useSite } from '../site/site.ts'

interface Props {
  readonly order: SignedOrder
  readonly job: JobAnswer
  /** Whether it is shown on the job's own page. */
  readonly isItsPage: boolean
}

/** The actions on a job with an outcome. */
export function JobActions(props: Props): ReactNode {
  const { order, job, isItsPage } = props
  const { receipt } = job
  return (
    <div className="acts">
      {order.job_token !== undefined && !isItsPage && (
        <a href={`/jobs/${job.job_id}#t=${order.job_token}`}>Open the job</a>
      )}
      {receipt !== null && (
        <>
          <a href={`/receipts#${receipt}`}>Check the signature</a>
          <button
            type="button"
            className="link"
            onClick={() => save(receipt, `farebox-receipt-${job.job_id}.jws`)}
          >
            Download receipt
          </button>
        </>
      )}
      <Deletion {...props} />
    </div>
  )
}

function save(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/jose' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

/** Deletes input and output on the platform, after a confirmation. */
function Deletion({ order, job, isItsPage }: Props): ReactNode {
  const { ask } = useSite()
  const { reload } = useNavigation()
  const [isDeleted, setDeleted] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const removing = useAction(
    async () => {
      const headers: { [name: string]: string } =
        order.job_token === undefined ? {} : { 'job-token': order.job_token }
      await ask(`/v1/jobs/${job.job_id}/contents`, answers.none, { method: 'DELETE', headers })
      return () => {
        setDeleted(true)
        if (isItsPage) reload()
      }
    },
    error => (error instanceof Error ? error.message : 'The deletion failed.'),
  )
  const remove = (): void => {
    setAsking(false)
    removing.act()
  }
  return (
    <>
      {job.contents_deleted ? (
        <span>Input and output deleted</span>
      ) : isAsking ? (
        <span role="group" aria-label="Delete input and output?">
          Permanently delete input and output?{' '}
          <button type="button" className="link" onClick={remove}>
            Delete
          </button>{' '}
          <button type="button" className="link" onClick={() => setAsking(false)}>
            Keep
          </button>
        </span>
      ) : (
        <button type="button" className="link" onClick={() => setAsking(true)}>
          Delete input and output
        </button>
      )}
      {removing.state === 'failed' && <span role="status">{removing.sentence}</span>}
      {isDeleted && (
        <span role="status">
          Your input and output were deleted from this platform. The receipt was kept.
        </span>
      )}
    </>
  )
}
