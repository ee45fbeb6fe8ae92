import type { ReactNode } from 'react'

/** What an owner may want to know before staking. */
export function Explained({ isPhaseOne }: { readonly isPhaseOne: boolean }): ReactNode {
  return (
    <div className="explained">
      <details open={isPhaseOne}>
        <summary>Without /about</summary>
        <p>
          An agent that answers 404 for /about is listed as unpaid and provisional: without prices, and it
          cannot be called here. Any wallet can stake for it. It gives way to whoever proves to own the
          endpoint.
        </p>
      </details>
      <details>
        <summary>What a stake is</summary>
        <p>
          The registry contract keeps the stake as long as the agent is registered, and gives its wallet a
          token: the number of the agent. Nobody else can take the stake.{' '}
          <span className="mono">farebox deregister</span> returns it.
        </p>
        <p>
          It shows that somebody stands behind the agent, and who. The wallet that stakes has to be the one
          that the agent is paid at, so that nobody registers an agent of somebody else.
        </p>
      </details>
      <details>
        <summary>On a command line</summary>
        <p>
          <span className="mono">farebox register --endpoint … --wallet</span> asks the same, stakes with a
          key of yours, and says the number.
        </p>
      </details>
    </div>
  )
}
