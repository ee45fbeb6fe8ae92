import type { ReactNode } from 'react'
import { ApiFailure } from '../site/ask.ts'
import { Sign, type SignName } from '../signs/sign.tsx'

/** The kind of message in a note. */
export type Tone = 'info' | 'warn' | 'refused' | 'paid'

const SIGNS: { readonly [tone in Tone]: SignName } = {
  info: 'info',
  warn: 'warn',
  refused: 'cross',
  paid: 'check',
}

/** A note: the message first, then the next step. A note about the outcome of a payment is an alert. */
export function Note(props: {
  readonly tone: Tone
  readonly children: ReactNode
  readonly alert?: boolean
}): ReactNode {
  return (
    <div className={`note ${props.tone}`} role={props.alert === true ? 'alert' : undefined}>
      <Sign name={SIGNS[props.tone]} />
      <div>{props.children}</div>
    </div>
  )
}

/** Why something could not be read, with a button to try again. Only for requests that change nothing. */
export function FailureNote({
  error,
  again,
}: {
  readonly error: unknown
  readonly again?: () => void
}): ReactNode {
  const failure = error instanceof ApiFailure ? error : undefined
  return (
    <Note tone="refused" alert>
      <p>
        <b>{failure?.message ?? 'This part of the page did not load.'}</b>
        {failure?.status === 0 && ' Nothing was sent and nothing was charged.'}
      </p>
      {failure?.retryAfter !== undefined && <p>Try again in {failure.retryAfter} s.</p>}
      {failure?.requestId !== undefined && (
        <p className="quiet">
          Request <span className="mono">{failure.requestId}</span>
        </p>
      )}
      {again !== undefined && (
        <p className="acts">
          <button type="button" className="link" onClick={again}>
            Try again
          </button>
        </p>
      )}
    </Note>
  )
}

/** A placeholder for rows that are being loaded. */
export function Bones(): ReactNode {
  return (
    <div className="bones" aria-hidden="true">
      {[1, 2, 3, 4].map(number => (
        <span key={number} className="bone" />
      ))}
    </div>
  )
}
