import type { FlowsAnswer } from '@farebox/platform-api/flows/saved-flows'
import { useState, type ReactNode } from 'react'
import { countSteps } from '../../flows/describe/sum-flow.ts'
import { longestDecimals } from '../../format/amount.ts'
import { Amount } from '../../parts/amount.tsx'
import { Heading } from '../../parts/page/heading.tsx'
import { When } from '../../parts/when.tsx'
import { Words } from '../../parts/words.tsx'
import { Sign } from '../../signs/sign.tsx'
import { useOwnFlows, type OwnFlowEntry } from './use-own-flows.ts'

/** The reader's own flows: drafts of this browser and saved flows, the most recently changed first. */
export function OwnFlows({ saved }: { readonly saved: FlowsAnswer['flows'] | null }): ReactNode {
  const { flows, remove } = useOwnFlows(saved ?? [])
  if (flows === undefined) return null
  const decimals = longestDecimals(flows.map(({ price }) => price))
  return (
    <section>
      <Heading look="ruled" end="maximum USDC per run">
        Your flows
      </Heading>
      {flows.length === 0 ? (
        <div className="void beneath">
          <b>No flows yet</b>
          <span>Start with a template below, or create a new flow.</span>
        </div>
      ) : (
        <ul className="rows">
          {flows.map(flow => (
            <OwnRow key={flow.url} flow={flow} decimals={decimals} remove={remove} />
          ))}
        </ul>
      )}
      {saved === null && (
        <p className="small quiet above">
          Drafts are stored in this browser. <a href="/sign-in?next=/flows">Sign in</a> to save your flows to
          your account and use them on any device.
        </p>
      )}
    </section>
  )
}

function OwnRow(props: {
  readonly flow: OwnFlowEntry
  readonly decimals: number
  readonly remove: (draftId: string) => void
}): ReactNode {
  const { flow, decimals, remove } = props
  const { draftId } = flow
  const [isAsking, setAsking] = useState(false)
  return (
    <li className="entry flow-entry">
      <h3>
        <a href={flow.url}>
          <Words of={flow.name === '' ? 'Unnamed flow' : flow.name} most={64} />
        </a>{' '}
        {flow.isBroken && (
          <span className="tag warn">
            <Sign name="warn" /> an agent has changed
          </span>
        )}
      </h3>
      <span className="leader" />
      <span className="price">
        <Amount of={flow.price} decimals={decimals} />
      </span>
      <p className="small faint with">
        {countSteps(flow.steps)} · changed <When at={flow.changedAt} /> · {flow.where}
      </p>
      {draftId !== undefined &&
        (isAsking ? (
          <span className="small act" role="group" aria-label={`Delete ${flow.name}?`}>
            Delete for good?{' '}
            <button type="button" className="link" onClick={() => remove(draftId)}>
              Delete
            </button>{' '}
            <button type="button" className="link" onClick={() => setAsking(false)}>
              Keep
            </button>
          </span>
        ) : (
          <button type="button" className="link small act" onClick={() => setAsking(true)}>
            Delete<span className="unseen"> {flow.name}</span>
          </button>
        ))}
    </li>
  )
}
