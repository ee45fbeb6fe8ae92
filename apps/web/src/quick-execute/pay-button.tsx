import type { AgentPage } from '@farebox/platform-api/agent'
import type { ReactNode } from 'react'
import { cutText } from '../format/cut-text.ts'
import { Note } from '../parts/note.tsx'
import { StopNote } from '../purse/stop-note.tsx'
import type { Execution } from './checkout/checkout-state.ts'
import { isUnderWay } from './checkout/under-way.ts'

interface Props {
  readonly agent: AgentPage
  readonly price: string
  readonly execution: Execution
  /** Whether an outcome has just appeared: a press now was probably meant for the previous button. */
  readonly isResting: boolean
  readonly reset: () => void
  readonly agree: (price: string) => void
}

/** The button that pays, or the reason why it is disabled. It is the only one on the form after which money can move. */
export function Pay(props: Props): ReactNode {
  const { agent, price, execution, reset, agree } = props
  const refusal = refuseAgent(agent)
  return (
    <div className="pay">
      {refusal !== undefined ? (
        <Unavailable refusal={refusal} />
      ) : execution.step === 'changed' ? (
        <ChangedPrice shown={price} asked={execution.quote.amount} agree={agree} />
      ) : execution.step === 'ordered' && execution.order.job?.retry.possible === true ? (
        <button type="button" className="button wide tall" onClick={reset}>
          Start a new job instead
        </button>
      ) : (
        <PayAndRun {...props} />
      )}
    </div>
  )
}

/** Why a capability cannot be ordered now; undefined when it can. */
function refuseAgent({ payable, health, notices }: AgentPage): string | undefined {
  if (health?.availability === 'offline')
    return `This agent is offline. The last ${health.consecutive_failures} checks failed, and the platform will not send it any jobs until a check passes.`
  if (payable) return undefined
  return (
    notices.find(({ kind }) => kind === 'not-payable')?.text ??
    'The platform is not sending any jobs to this agent right now.'
  )
}

function Unavailable({ refusal }: { readonly refusal: string }): ReactNode {
  return (
    <>
      <Note tone="warn">
        <p>{refusal}</p>
      </Note>
      <button type="button" className="button fare wide" disabled>
        Payment unavailable
      </button>
    </>
  )
}

function ChangedPrice(props: {
  readonly shown: string
  readonly asked: string
  readonly agree: (price: string) => void
}): ReactNode {
  const { shown, asked, agree } = props
  return (
    <>
      <Note tone="warn" alert>
        <p>
          <b>
            The price is now {asked} USDC, but this page showed {shown}.
          </b>{' '}
          Nothing has been signed.
        </p>
      </Note>
      <button type="button" className="button fare wide" onClick={() => agree(asked)}>
        Pay {asked} USDC and run
      </button>
      <p className="hint centre">You will sign for {asked} USDC and no more.</p>
    </>
  )
}

function PayAndRun({ agent, price, execution, isResting, reset }: Props): ReactNode {
  const isUnder = isUnderWay(execution)
  const isAgain = execution.step === 'ordered' && !isUnder
  return (
    <>
      {execution.step === 'stopped' && <StopNote stop={execution} funded={reset} />}
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
        ) : execution.step === 'ordered' ? (
          execution.order.job?.charged === true ? (
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
    </>
  )
}
