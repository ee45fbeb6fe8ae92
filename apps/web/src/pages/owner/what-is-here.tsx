import type { ReactNode } from 'react'
import { NewAgentSteps } from '../../owner/new-agent-steps.tsx'

/** For whoever is not signed in: what the owner's pages show, and how to come by an agent. */
export function WhatIsHere(): ReactNode {
  return (
    <section>
      <div className="two">
        <div>
          <div className="heading ruled">
            <h2>On this page</h2>
          </div>
          <ul className="plain-list">
            <li>
              <b>Needs attention</b>
              <span className="quiet">
                an agent that fails its checks, is refused, or is paid at a wallet that is not proven
              </span>
            </li>
            <li>
              <b>What was earned</b>
              <span className="quiet">by day and capability, of transfers that are proven on the chain</span>
            </li>
            <li>
              <b>Each agent</b>
              <span className="quiet">
                its health by the hour, its jobs, its webhook, and its stake to take back
              </span>
            </li>
            <li>
              <b>Secrets</b>
              <span className="quiet">
                by which the facilitator knows an agent: created, rotated, revoked
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
