import { useId, useState, type ReactNode } from 'react'
import { useSite } from '../../site/site.ts'

/** A form for the endpoint of an agent, with the button that checks it. The typed text stays, whatever the result. */
export function EndpointForm(props: {
  /** The endpoint of the open registration. */
  readonly endpoint: string | undefined
  /** The endpoint in the address of the page. */
  readonly first: string
  readonly isAsking: boolean
  /** Whether a stake is pending or made; another endpoint would then be another registration. */
  readonly isHeld: boolean
  /** Whether the state of that stake no longer changes by itself. */
  readonly isOver: boolean
  readonly refusal: string | undefined
  readonly check: (endpoint: string) => void
}): ReactNode {
  const { endpoint, first, isAsking, isHeld, isOver, refusal, check } = props
  const id = useId()
  const [typed, setTyped] = useState<string>()
  const [isMissing, setMissing] = useState(false)
  const value = typed ?? endpoint ?? first
  const submit = (): void => {
    if (isAsking || isHeld) return
    setMissing(value.trim() === '')
    if (value.trim() !== '') check(value.trim())
  }
  return (
    <form
      className="field endpoint"
      action="/register"
      noValidate
      onSubmit={event => {
        event.preventDefault()
        submit()
      }}
    >
      <EndpointInput
        id={id}
        value={value}
        isHeld={isHeld}
        isRefused={isMissing || refusal !== undefined}
        type={text => {
          setTyped(text)
          setMissing(false)
        }}
      >
        {!isHeld && (
          <button
            type="submit"
            className={endpoint === undefined ? 'button solid' : 'button'}
            aria-disabled={isAsking}
          >
            {isAsking ? 'Checking…' : value.trim() === endpoint ? 'Check again' : 'Check'}
          </button>
        )}
      </EndpointInput>
      <EndpointHint id={`${id}-hint`} isMissing={isMissing} isHeld={isHeld} isOver={isOver} />
      <WithoutScript />
    </form>
  )
}

function EndpointInput(props: {
  readonly id: string
  readonly value: string
  readonly isHeld: boolean
  readonly isRefused: boolean
  readonly type: (text: string) => void
  /** The button next to the field. */
  readonly children: ReactNode
}): ReactNode {
  const { id, value, isHeld, isRefused, type, children } = props
  const { platform } = useSite()
  return (
    <>
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
          aria-invalid={isRefused}
          aria-describedby={`${id}-hint`}
          readOnly={isHeld}
          value={value}
          onChange={event => type(event.target.value)}
        />
        {children}
      </div>
    </>
  )
}

function EndpointHint(props: {
  readonly id: string
  readonly isMissing: boolean
  readonly isHeld: boolean
  readonly isOver: boolean
}): ReactNode {
  const { id, isMissing, isHeld, isOver } = props
  return (
    <p className={isMissing ? 'hint bad' : 'hint'} id={id}>
      {isMissing
        ? 'endpoint: enter the address of your agent'
        : isHeld
          ? 'The stake is for this endpoint.'
          : 'Checking is free. It does not run a job or pay anything.'}{' '}
      {isHeld && isOver && <a href="/register">Check another endpoint</a>}
    </p>
  )
}

function WithoutScript(): ReactNode {
  return (
    <noscript>
      <p className="hint">
        JavaScript is off. Turn it on to check endpoints and use your wallet here, or run{' '}
        <span className="mono">farebox register --endpoint … --wallet</span>
      </p>
    </noscript>
  )
}
