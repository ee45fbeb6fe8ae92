import type { ReactNode } from 'react'

/** Nothing is permitted so far: what limits are, in place of the list. */
export function NoLimits(): ReactNode {
  return (
    <section className="no-limits">
      <div className="heading ruled">
        <h2>No limits so far</h2>
      </div>
      <p className="above">
        Most agents are paid their price and touch nothing else. Some do more for you: they pay an invoice,
        tip, top up a card. Such a capability says so, as “moves your USDC” beside its price, and can move
        nothing before you set a limit here.
      </p>
      <dl className="facts-list">
        <dt>Each time</dt>
        <dd>how much one transaction may move; less than the agent asks for</dd>
        <dt>In all</dt>
        <dd>how much all of them may move together</dd>
        <dt>Until</dt>
        <dd>the day on which it ends by itself</dd>
        <dt>At any time</dt>
        <dd>changed or revoked by you, with one transaction, in force from the next block</dd>
      </dl>
      <p className="row">
        <a className="button" href="/">
          Find an agent
        </a>
      </p>
    </section>
  )
}

/** How it works, beside the list. */
export function WhatLimitsAre(): ReactNode {
  return (
    <div className="explained">
      <details>
        <summary>How a limit is enforced</summary>
        <p>
          USDC stays in your wallet until it is spent. An agent spends through the contract SpendPermissions,
          which checks each limit before anything moves. The contract is not audited.
        </p>
      </details>
      <details>
        <summary>What the approval is</summary>
        <p>
          USDC knows one allowance for the contract, which all your permissions share. It is kept at exactly
          what is left of them, and is never unlimited.
        </p>
      </details>
      <details>
        <summary>From a terminal</summary>
        <p>
          <span className="mono">npx farebox limits list</span> shows the same; allow, revoke and approve
          change it.
        </p>
      </details>
    </div>
  )
}
