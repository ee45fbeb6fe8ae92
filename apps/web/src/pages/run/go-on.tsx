import type { RunAnswer } from '@farebox/platform-api/flows/runs'
import type { ReactNode } from 'react'
import { explainAction, labelAction, type NextAction } from '../../flows/run-view/next-action.ts'
import { When } from '../../parts/when.tsx'
import { StopNote } from '../../purse/stop-note.tsx'
import type { RunActions } from './use-run-actions.ts'

/**
 * The next action of a run, in a bar that stays in view. The step has the same button; questions are answered at the step.
 */
export function GoOn(props: {
  readonly run: RunAnswer
  readonly action: NextAction
  readonly actions: RunActions
}): ReactNode {
  const { run, action, actions } = props
  const { busy, stop } = actions
  if (run.status === 'cancelled' || run.status === 'completed') return null
  const label = run.status === 'paused' ? 'Resume' : labelAction(action)
  const question = run.status === 'waiting' ? run.waiting.find(one => one.for === 'person') : undefined
  if (label === undefined && stop === undefined && question === undefined && action.signableAt === undefined)
    return null
  const isFree = run.status === 'paused' && run.ready === '0'
  return (
    <aside className="go-on" aria-label="Next">
      {stop !== undefined && <StopNote stop={stop} />}
      <div className="go-on-line">
        <p className="hint">
          {label === undefined && question !== undefined
            ? 'Your approval is needed to continue.'
            : explain(run, action, label)}
          {action.signableAt !== undefined && (
            <>
              {' '}
              The payment you sent expires too soon to be sent again. You can sign a new one after{' '}
              <When at={action.signableAt} form="clock" />, when the first one can no longer be charged.
            </>
          )}
        </p>
        {label !== undefined && (
          <button
            type="button"
            className={isFree ? 'button solid tall' : 'button fare'}
            disabled={busy !== undefined}
            onClick={() => (run.status === 'paused' ? actions.control('resume') : actions.goOn(action))}
          >
            {busy === undefined ? label : `${busy}…`}
          </button>
        )}
        {question !== undefined && (
          <a
            className={label === undefined ? 'button solid tall' : 'button tall'}
            href={`#step-${question.step}`}
          >
            See the question
          </a>
        )}
      </div>
    </aside>
  )
}

function explain(run: RunAnswer, action: NextAction, label: string | undefined): string {
  if (run.status === 'paused')
    return run.ready === '0'
      ? 'The run will continue where it stopped.'
      : `The run will continue where it stopped. ${run.ready} USDC is already signed for the next steps.`
  return label === undefined ? '' : explainAction(action)
}
