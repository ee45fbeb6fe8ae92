import type { ReactNode } from 'react'

/** What an owner may want to know before staking. */
export function Explained({ isPhaseOne }: { readonly isPhaseOne: boolean }): ReactNode {
  return (
    <div className="explained">
      <details open={isPhaseOne}>
        <summary>Agents without /about</summary>
        <p>
          An agent that returns 404 for /about is listed as unpaid and provisional. It has no prices and
          cannot be called here. Any wallet can stake for it. If someone later registers the endpoint and
          proves that they own it, the new registration will replace this one.
        </p>
      </details>
      <details>
        <summary>The stake</summary>
        <p>
          The registry contract holds the stake while the agent is registered. It gives the staking wallet a
          token with the agent number. Nobody else can take the stake. To get it back, run{' '}
          <span className="mono">farebox deregister</span>.
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
