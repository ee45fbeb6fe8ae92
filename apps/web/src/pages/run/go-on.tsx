import type { RunAnswer } from '@farebox/platform-api/flows/runs'
import type { ReactNode } from 'react'
import { explainAction, labelAction, type NextAction } from '../../flows/run-view/next-action.ts'
import { Note } from '../../parts/note.tsx'
import { When } from '../../parts/when.tsx'
import { FundButton } from '../../purse/fund-button.tsx'
import { usePurse } from '../../purse/purse-context.ts'
import type { RunActions } from './use-run-actions.ts'

/** The one button that takes a run on, what it does, and what keeps it from being pressed. */
export function GoOn(props: {
  readonly run: RunAnswer
  readonly action: NextAction
  readonly actions: RunActions
}): ReactNode {
  const { run, action, actions } = props
  const { busy, halted } = actions
  const label = labelAction(action)
  const isPaused = run.status === 'paused'
  const isOver = run.status === 'cancelled' || run.status === 'completed'
  const canGo = !isOver && (label !== undefined || isPaused)
  if (isOver || (!canGo && halted === undefined && action.signableAt === undefined)) return null
  return (
    <div className="go-on">
      <div className="tear" />
      <div className="part">
        {halted !== undefined && <Halt actions={actions} />}
        {isPaused ? (
          <>
            <button
              type="button"
              className={run.ready === '0' ? 'button solid wide tall' : 'button fare wide'}
              disabled={busy !== undefined}
              onClick={() => actions.control('resume')}
            >
              {busy === undefined ? 'Resume' : `${busy}…`}
            </button>
            <p className="hint">
              {run.ready === '0'
                ? 'The run goes on where it was.'
                : `The run goes on where it was. ${run.ready} USDC is signed for what comes next.`}
            </p>
          </>
        ) : (
          label !== undefined && (
            <>
              <button
                type="button"
                className="button fare wide"
                disabled={busy !== undefined}
                onClick={() => actions.goOn(action)}
              >
                {busy === undefined ? label : `${busy}…`}
              </button>
              <p className="hint">{explainAction(action)}</p>
            </>
          )
        )}
        {action.signableAt !== undefined && (
          <p className="hint">
            The payment that was sent is good for too short now. After{' '}
            <When at={action.signableAt} form="clock" />, when it is certain that it never will be charged,
            another one can be signed.
          </p>
        )}
      </div>
    </div>
  )
}

function Halt({ actions: { halted } }: { readonly actions: RunActions }): ReactNode {
  const { fund, connect } = usePurse()
  if (halted === undefined) return null
  return (
    <Note tone={halted.tone} alert>
      <p>{halted.sentence}</p>
      {halted.isShort === true && (
        <p className="acts">
          {fund !== undefined && <FundButton fund={fund} />}
          <button
            type="button"
            className="button"
            onClick={() => void connect({ another: true }).catch(() => undefined)}
          >
            Use another wallet
          </button>
        </p>
      )}
    </Note>
  )
}
