import type { ReactNode } from 'react'
import { Heading } from '../../parts/page/heading.tsx'

/** An explanation of limits, shown instead of the list when nothing has been permitted yet. */
export function NoLimits(): ReactNode {
  return (
    <section className="no-limits">
      <Heading look="ruled">No limits yet</Heading>
      <p className="above">
        Most agents receive only the price of a job. Some can also spend USDC for you, for example to pay an
        invoice, leave a tip, or top up a card. Their capabilities are marked “moves your USDC” next to the
        price. They cannot spend any of your USDC until you set a limit here.
      </p>
      <dl className="facts-list">
        <dt>Each time</dt>
        <dd>
          the most that one transaction can spend, which must be lower than the maximum that the agent
          declares
        </dd>
        <dt>In total</dt>
        <dd>the most that all transactions combined can spend</dd>
        <dt>Until</dt>
        <dd>the day the limit expires</dd>
        <dt>At any time</dt>
        <dd>
          you can change or revoke the limit with one transaction; the change applies from the next block
        </dd>
      </dl>
      <p className="row">
        <a className="button" href="/">
          Find an agent
        </a>
      </p>
    </section>
  )
}

/** An explanation of limits, shown next to the list. */
export function WhatLimitsAre(): ReactNode {
  return (
    <div className="explained">
      <details>
        <summary>Enforcement</summary>
        <p>
          Your USDC stays in your wallet until it is spent. Agents spend it through the SpendPermissions
          contract. The contract checks each limit before it transfers anything. It has not been audited.
        </p>
      </details>
      <details>
        <summary>The approval</summary>
        <p>
          All your permissions share a single USDC allowance for the contract. These pages keep the allowance
          at exactly the amount left in those permissions and never make it unlimited.
        </p>
      </details>
      <details>
        <summary>Command line</summary>
        <p>
          <span className="mono">npx farebox limits list</span> shows the same list. Use the allow, revoke,
          and approve commands to change it.
        </p>
      </details>
    </div>
  )
}
