import type { ReactNode } from 'react'

/** Nothing is permitted so far: what limits are, in place of the list. */
export function NoLimits(): ReactNode {
  return (
    <section className="no-limits">
      <div className="heading ruled">
        <h2>No limits yet</h2>
      </div>
      <p className="above">
        Most agents receive their price and touch nothing else. Some do more for you: they pay an invoice,
        tip, or top up a card. Such a capability shows “moves your USDC” next to its price and can move
        nothing until you set a limit here.
      </p>
      <dl className="facts-list">
        <dt>Each time</dt>
        <dd>the amount one transaction may move; less than the agent asks for</dd>
        <dt>In total</dt>
        <dd>the amount all transactions together may move</dd>
        <dt>Until</dt>
        <dd>the day the limit expires</dd>
        <dt>At any time</dt>
        <dd>you can change or revoke it with one transaction, effective from the next block</dd>
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
        <summary>Enforcement</summary>
        <p>
          USDC stays in your wallet until it is spent. An agent spends through the SpendPermissions contract,
          which checks each limit before anything moves. The contract is not audited.
        </p>
      </details>
      <details>
        <summary>The approval</summary>
        <p>
          USDC has one allowance for the contract, which all your permissions share. These pages keep it at
          exactly the amount left in those permissions and never make it unlimited.
        </p>
      </details>
      <details>
        <summary>Command line</summary>
        <p>
          <span className="mono">npx farebox limits list</span> shows the same list; allow, revoke, and
          approve change it.
        </p>
      </details>
    </div>
  )
}
