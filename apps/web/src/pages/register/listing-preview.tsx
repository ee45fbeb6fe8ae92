import type { Registration } from '@farebox/platform-api/registry'
import type { ReactNode } from 'react'
import { cutToLine } from '../../format/cut-to-line.ts'
import { Fares } from '../../parts/fares.tsx'
import { Note } from '../../parts/note.tsx'
import { Heading } from '../../parts/page/heading.tsx'
import { Address } from '../../parts/short.tsx'
import { Standing } from '../../parts/standing.tsx'

/** The most capabilities of an agent that a list shows. */
const SHOWN = 2

/** A preview of the agent in the marketplace. */
export function ListingPreview(props: {
  readonly registration: Registration
  readonly isListed: boolean
}): ReactNode {
  const { registration, isListed } = props
  const { found, staked_by_others: others } = registration
  const name = cutToLine(found.name, 64) || 'Unnamed agent'
  return (
    <section aria-labelledby="listing-title">
      <Heading look="ruled" id="listing-title" end={found.phase === 'agent' && 'USDC per job'}>
        {isListed ? 'Listing' : 'Listing preview'}
      </Heading>
      <div className="entry">
        <div className="top">
          <h3>
            <bdi>{name}</bdi>
          </h3>
          <span className="first">
            {found.phase === 'agent' ? (
              <>
                <Standing badge="verified" /> at first
              </>
            ) : (
              'unpaid and provisional'
            )}
          </span>
        </div>
        {found.phase === 'agent' ? (
          <>
            <p className="what">
              <bdi>{cutToLine(found.description, 280)}</bdi>
            </p>
            <Fares fares={found.capabilities.slice(0, SHOWN)}>
              {found.capabilities.length > SHOWN && (
                <li className="more">+ {found.capabilities.length - SHOWN} more</li>
              )}
            </Fares>
          </>
        ) : (
          <p className="what">
            It does not provide /about, so it is listed without a price and cannot be run here.
          </p>
        )}
      </div>
      {others.map(({ agent_id: id, owner, reason }) => (
        <Note key={id} tone="warn">
          <p>
            <Address of={owner} /> staked for agent {id} at this endpoint. The stake does not count: {reason}.
            Its owner can get it back by deregistering the agent.
          </p>
        </Note>
      ))}
    </section>
  )
}
