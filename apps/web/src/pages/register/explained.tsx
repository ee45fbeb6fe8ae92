import type { ReactNode } from 'react'

/** What an owner may want to know before staking. */
export function Explained({ isPhaseOne }: { readonly isPhaseOne: boolean }): ReactNode {
  return (
    <div className="explained">
      <details open={isPhaseOne}>
        <summary>Without /about</summary>
        <p>
          An agent that answers 404 for /about is listed as unpaid and provisional. It has no prices and
          cannot be called here. Any wallet can stake for it. A registration that proves ownership of the
          endpoint replaces it.
        </p>
      </details>
      <details>
        <summary>The stake</summary>
        <p>
          The registry contract holds the stake while the agent is registered and gives its wallet a token:
          the agent number. Nobody else can take the stake. <span className="mono">farebox deregister</span>{' '}
          returns it.
        </p>
        <p>
          The stake shows who backs the agent. The staking wallet must be the wallet that receives the agent’s
          payments, so nobody can register someone else’s agent.
        </p>
      </details>
      <details>
        <summary>Command line</summary>
        <p>
          <span className="mono">farebox register --endpoint … --wallet</span> runs the same checks, stakes
          with your key, and prints the agent number.
        </p>
      </details>
    </div>
  )
}
