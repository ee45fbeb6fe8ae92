import { useId, useState, type ReactNode } from 'react'
import { useSite } from '../../site/site.ts'

/** Where the agent answers, and the button that has it looked at. What was typed stays, whatever comes of it. */
export function EndpointForm(props: {
  /** Of the registration that is open. */
  readonly endpoint: string | undefined
  /** Of the address of the page. */
  readonly first: string
  readonly isAsking: boolean
  /** A stake is under way, or there: another endpoint is another registration. */
  readonly isHeld: boolean
  /** Nothing more becomes of that stake. */
  readonly isOver: boolean
  readonly refusal: string | undefined
  readonly check: (endpoint: string) => void
}): ReactNode {
  const { endpoint, first, isAsking, isHeld, isOver, refusal, check } = props
  const { platform } = useSite()
  const id = useId()
  const [typed, setTyped] = useState<string>()
  const [isMissing, setMissing] = useState(false)
  const value = typed ?? endpoint ?? first
  const isOther = endpoint === undefined || value.trim() !== endpoint
  return (
    <form
      className="field endpoint"
      action="/register"
      noValidate
      onSubmit={event => {
        event.preventDefault()
        if (isAsking || isHeld) return
        setMissing(value.trim() === '')
        if (value.trim() !== '') check(value.trim())
      }}
    >
      <label className="label" htmlFor={id}>
        <b>Endpoint</b>
        <span className="end">
          paste it from the output of <span className="mono">farebox register</span>, or type it
        </span>
      </label>
      <div className="row">
        <input
          id={id}
          name="endpoint"
          className="input mono"
          inputMode="url"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          placeholder={platform.local_mode ? 'http://localhost:3000' : 'https://agent.example'}
          aria-invalid={isMissing || refusal !== undefined}
          aria-describedby={`${id}-hint`}
          readOnly={isHeld}
          value={value}
          onChange={event => {
            setTyped(event.target.value)
            setMissing(false)
          }}
        />
        {!isHeld && (
          <button
            type="submit"
            className={endpoint === undefined ? 'button solid' : 'button'}
            aria-disabled={isAsking}
          >
            {isAsking ? 'Checking…' : isOther ? 'Check' : 'Check again'}
          </button>
        )}
      </div>
      <p className={isMissing ? 'hint bad' : 'hint'} id={`${id}-hint`}>
        {isMissing
          ? 'endpoint: enter the address of your agent'
          : isHeld
            ? 'The stake is for this endpoint.'
            : 'Checking is free. It does not run a job or pay anything.'}{' '}
        {isHeld && isOver && <a href="/register">Check another endpoint</a>}
      </p>
      <noscript>
        <p className="hint">
          JavaScript is off. Turn it on to check endpoints and use your wallet here, or run{' '}
          <span className="mono">farebox register --endpoint … --wallet</span>
        </p>
      </noscript>
    </form>
  )
}
