import type { Webhook } from '@farebox/platform-api/monitor'
import type { ReactNode } from 'react'
import { When } from '../../parts/when.tsx'
import { Words } from '../../parts/words.tsx'

type Delivery = NonNullable<Webhook['last_delivery']>

const EVENTS: { readonly [event in Delivery['event']]: string } = {
  'agent.warned': 'the agent is failing its checks',
  'agent.offline': 'the agent is offline',
  'agent.back': 'the agent is back online',
  'agent.not_payable': 'the agent could not accept a payment',
  'agent.test': 'a test',
  'owner.limit_near': '80% of today’s settlements are used',
  'owner.limit_reached': 'today’s settlements are used up',
}

/** The newest delivery to a webhook. */
export function LastDelivery({ of }: { readonly of: Webhook['last_delivery'] }): ReactNode {
  if (of === null) return 'No notices yet.'
  const { event, state, created_at: made, delivered_at: taken, attempts, failure } = of
  if (state === 'delivered') {
    return (
      <>
        Last notice delivered <When at={taken ?? made} />: {EVENTS[event]}.
      </>
    )
  }
  const words = state === 'waiting' ? 'is waiting for delivery' : 'was not accepted and will not be retried'
  return (
    <>
      <span className={state === 'waiting' ? undefined : 'bad'}>
        Last notice ({EVENTS[event]}), created <When at={made} />, {words}
      </span>
      , after {attempts} {attempts === 1 ? 'attempt' : 'attempts'}
      {failure !== null && (
        <>
          : <Words of={failure} />
        </>
      )}
      .
    </>
  )
}
