import type { RunAnswer } from '@farebox/platform-api/flows/runs'
import type { ReactNode } from 'react'
import { ConfirmSheet } from '../../parts/sheet.tsx'
import { When } from '../../parts/when.tsx'

/** Confirms the cancellation of a run: lists the payments that are deleted, and those that may still be charged. */
export function CancelSheet(props: {
  readonly run: RunAnswer
  readonly cancel: () => void
  readonly close: () => void
}): ReactNode {
  const { run, cancel, close } = props
  const act = (): void => {
    close()
    cancel()
  }
  return (
    <ConfirmSheet
      id="cancel-run"
      title="Cancel this run?"
      keep="Keep it"
      close={close}
      look="danger"
      words="Cancel the run"
      acting={{ state: 'idle', act }}
    >
      <ul className="points">
        <li>The run will not order any more jobs, and you cannot resume it.</li>
        <li>
          {run.ready === '0'
            ? 'There is nothing left to delete because every payment you signed was already sent or deleted.'
            : `Signed payments that were not sent (${run.ready} USDC) will be deleted. You will not be charged for them.`}
        </li>
        {run.exposed !== '0' && (
          <li>
            Payments of {run.exposed} USDC were sent and may still be charged
            {run.exposed_until !== null && (
              <>
                {' '}
                until <When at={run.exposed_until} form="clock" />
              </>
            )}
            .
          </li>
        )}
        <li>
          {run.paid === '0'
            ? 'You have not been charged.'
            : `You have paid ${run.paid} USDC. The results you paid for will stay here.`}
        </li>
      </ul>
    </ConfirmSheet>
  )
}
