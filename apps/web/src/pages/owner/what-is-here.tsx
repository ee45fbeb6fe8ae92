import type { ReactNode } from 'react'
import { NewAgentSteps } from '../../owner/new-agent-steps.tsx'
import { Heading } from '../../parts/page/heading.tsx'

/** For readers who are signed out: the contents of the owner's pages, and the steps to an agent. */
export function WhatIsHere(): ReactNode {
  return (
    <section>
      <div className="two">
        <div>
          <Heading look="ruled">On this page</Heading>
          <ul className="plain-list">
            <li>
              <b>Alerts</b>
              <span className="quiet">
                agents that fail checks, were refused a listing, or have an unverified wallet
              </span>
            </li>
            <li>
              <b>Earnings</b>
              <span className="quiet">by day and capability, from transfers confirmed on-chain</span>
            </li>
            <li>
              <b>Each agent</b>
              <span className="quiet">hourly health, jobs, webhook, and getting your stake back</span>
            </li>
            <li>
              <b>Secrets</b>
              <span className="quiet">
                create, rotate, and revoke the credentials that identify an agent to the facilitator
              </span>
            </li>
          </ul>
        </div>
        <div>
          <NewAgentSteps />
        </div>
      </div>
    </section>
  )
}
