import type { AgentPage } from '@farebox/platform-api/agent'
import type { ReactNode } from 'react'
import { cutText } from '../format/cut-text.ts'
import { Note } from '../parts/note.tsx'
import { Stopped } from './stopped.tsx'
import { isUnderWay, refuseAgent, type Execution } from './use-quick-execute.ts'

/** The one button after which money can move, and what keeps it from being pressed. */
export function Pay(props: {
  readonly agent: AgentPage
  readonly price: string
  readonly execution: Execution
  /** An outcome has just come: a press now was meant for what stood here before. */
  readonly isResting: boolean
  readonly reset: () => void
  readonly agree: (price: string) => void
}): ReactNode {
  const { agent, price, execution, isResting, reset, agree } = props
  const isUnder = isUnderWay(execution)
  const isAgain = execution.step === 'ordered' && !isUnder
  const refused = refuseAgent(agent)
  if (refused !== undefined) {
    return (
      <div className="pay">
        <Note tone="warn">
          <p>{refused}</p>
        </Note>
        <button type="button" className="button fare wide" disabled>
          Payment unavailable
        </button>
      </div>
    )
  }
  if (execution.step === 'changed') {
    const { amount } = execution.quote
    return (
      <div className="pay">
        <Note tone="warn" alert>
          <p>
            <b>
              The price is now {amount} USDC, but this page showed {price}.
            </b>{' '}
            Nothing has been signed.
          </p>
        </Note>
        <button type="button" className="button fare wide" onClick={() => agree(amount)}>
          Pay {amount} USDC and run
        </button>
        <p className="hint centre">You will sign for {amount} USDC and no more.</p>
      </div>
    )
  }
  if (execution.step === 'ordered' && execution.order.job?.retry.possible === true) {
    return (
      <div className="pay">
        <button type="button" className="button wide tall" onClick={reset}>
          Start a new job instead
        </button>
      </div>
    )
  }
  return (
    <div className="pay">
      {execution.step === 'stopped' && <Stopped execution={execution} reset={reset} />}
      {isUnder || execution.step === 'preparing' ? (
        <button type="button" className="button fare wide" disabled>
          {execution.step === 'preparing' ? `${execution.words}…` : 'Running…'}
        </button>
      ) : (
        <button type="submit" className="button fare wide" disabled={isResting}>
          Pay {price} USDC and run{isAgain ? ' again' : ''} <kbd aria-hidden="true">Ctrl ↵</kbd>
        </button>
      )}
      <noscript>
        <p className="hint centre">
          JavaScript is off. Turn it on to pay here, or pay from code as shown below.
        </p>
      </noscript>
      <p className="hint centre">
        {isUnder ? (
          'The input is locked until the outcome is known.'
        ) : isAgain ? (
          wasCharged(execution) ? (
            'This will be a new job, and you will pay again.'
          ) : (
            'This will be a new job with a new signature.'
          )
        ) : (
          <>
            <span className="to">
              To <bdi>{cutText(agent.name, 32)}</bdi> ·{' '}
            </span>
            <span>If a job is not delivered, you are not charged.</span>
          </>
        )}
      </p>
    </div>
  )
}

function wasCharged(execution: Execution): boolean {
  return execution.step === 'ordered' && execution.order.job?.charged === true
}
